// Passes a local array to realloc.
#include <stdlib.h>

int main(void) {
    int small[4] = { 1, 2, 3, 4 };
    int *data = small;
    int n = 4;
    if (n == 4)
        data = realloc(data, 8 * sizeof *data); //~ invalid-free
    return data == NULL;
}
