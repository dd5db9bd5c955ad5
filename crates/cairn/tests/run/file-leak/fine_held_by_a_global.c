// The end of the program closes the stream that a global variable holds.
#include <stdio.h>

static FILE *output;

int main(void)
{
    output = fopen("/dev/null", "w");
    if (output)
        fprintf(output, "%d lines\n", 3);
    return 0;
}
