// The order of two objects in memory decides.
// UNKNOWN
#include <stdlib.h>

int main(void)
{
    int *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    int *array = calloc(2, sizeof *array);
    array[one < other ? 1 : 2] = 1;
    free(one);
    free(other);
    free(array);
    return 0;
}
