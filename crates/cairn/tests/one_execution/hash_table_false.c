// The table is indexed with a hash that is not reduced for the last key.
// FALSE(valid-deref)
#include <stdlib.h>

static int table[1000];

int main(void)
{
    int *cell = malloc(sizeof *cell);
    *cell = 0;
    for (int i = 0; i < 1000; i++) {
        *cell += i % 7;
        table[*cell % 1000] = i;
    }
    table[*cell] = 1;
    free(cell);
    return 0;
}
