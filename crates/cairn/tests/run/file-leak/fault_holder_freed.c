// The object that holds the stream is freed.
#include <stdio.h>
#include <stdlib.h>

struct log {
    FILE *file;
    int lines;
};

int main(void)
{
    struct log *log = malloc(sizeof *log);
    log->file = fopen("/dev/null", "w"); //~ file-leak
    log->lines = 0;
    free(log);
    return 0;
}
