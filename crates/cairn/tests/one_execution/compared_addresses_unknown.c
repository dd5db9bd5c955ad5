// The order of two stored addresses decides, as the order of their bytes.
// UNKNOWN
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    int *array = calloc(2, sizeof *array);
    array[memcmp(&one, &other, sizeof one) < 0 ? 1 : 2] = 1;
    free(one);
    free(other);
    free(array);
    return 0;
}
