// A byte of a stored address decides. It is read as a character, and copied before.
// UNKNOWN
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *one = malloc(sizeof *one);
    unsigned char bytes[sizeof one];
    memcpy(bytes, &one, sizeof bytes);
    int *array = calloc(2, sizeof *array);
    array[bytes[1] & 3] = 1;
    free(one);
    free(array);
    return 0;
}
