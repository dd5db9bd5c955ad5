// A new object may have the address of a freed one.
// UNKNOWN
#include <stdlib.h>

int main(void)
{
    int *freed = malloc(sizeof *freed);
    free(freed);
    int *other = malloc(sizeof *other);
    int *array = calloc(2, sizeof *array);
    array[other == freed ? 2 : 1] = 1;
    free(other);
    free(array);
    return 0;
}
