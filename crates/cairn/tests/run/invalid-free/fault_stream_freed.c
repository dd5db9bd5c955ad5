// A stream is freed and not closed.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    FILE *file = fopen("/dev/null", "r");
    free(file); //~ invalid-free
    return 0;
}
