// The number of an address decides.
// UNKNOWN
#include <stdlib.h>

int main(void)
{
    int *one = malloc(sizeof *one);
    int *array = calloc(2, sizeof *array);
    array[(unsigned long)one >> 4 & 3] = 1;
    free(one);
    free(array);
    return 0;
}
