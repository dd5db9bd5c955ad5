// The stream is only held by a local variable of a function that returns.
#include <stdio.h>

static int is_there(const char *path)
{
    FILE *file = fopen(path, "r"); //~ file-leak
    return file != NULL;
}

int main(void)
{
    return !is_there("/dev/null");
}
