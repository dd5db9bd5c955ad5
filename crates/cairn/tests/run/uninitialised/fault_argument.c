// The element is not set when it is passed, whether the function looks at it or not.
#include <stdlib.h>

static int second(int first, int second)
{
    return second;
}

int main(void)
{
    int *pair = malloc(2 * sizeof *pair);
    pair[1] = 0;
    int value = second(pair[0], pair[1]); //~ uninitialised
    free(pair);
    return value;
}
