// Reallocating to no bytes frees the object or returns a new one.
// UNKNOWN
#include <stdlib.h>

int main(void)
{
    int array[2] = {0};
    char *object = malloc(4);
    object = realloc(object, 0);
    int index = object ? 2 : 0;
    free(object);
    return array[index];
}
