// The low half of a stored address is overwritten, and the other half decides.
// UNKNOWN
#include <stdlib.h>

union word {
    int *pointer;
    unsigned char bytes[sizeof(int *)];
};

int main(void)
{
    union word word;
    word.pointer = malloc(sizeof(int));
    int *kept = word.pointer;
    word.bytes[0] = 0;
    int *array = calloc(2, sizeof *array);
    array[word.bytes[2] & 3] = 1;
    free(kept);
    free(array);
    return 0;
}
