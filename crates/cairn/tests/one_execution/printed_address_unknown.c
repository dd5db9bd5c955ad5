// The length of a printed address decides.
// UNKNOWN
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[40];
    int *one = malloc(sizeof *one);
    int length = sprintf(text, "%p", (void *)one);
    text[length == 14 ? 0 : 40] = 0;
    free(one);
    return 0;
}
