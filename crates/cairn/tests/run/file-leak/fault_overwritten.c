// The second stream takes the place of the first one.
#include <stdio.h>

static FILE *output;

int main(void)
{
    output = fopen("/dev/null", "w"); //~ file-leak
    output = fopen("/dev/null", "a");
    fclose(output);
    return 0;
}
