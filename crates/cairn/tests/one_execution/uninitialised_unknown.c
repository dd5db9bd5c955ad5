// An uninitialised byte decides.
// UNKNOWN
#include <stdlib.h>

int main(void)
{
    unsigned char *byte = malloc(1);
    int array[2] = {0};
    int value = array[*byte & 2];
    free(byte);
    return value;
}
