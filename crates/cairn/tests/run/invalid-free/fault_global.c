// Frees a global object through a pointer in a table.
#include <stdlib.h>

static int defaults[4] = { 1, 2, 3, 4 };

struct setting { int *values; };

int main(void) {
    struct setting s[2] = { { malloc(sizeof defaults) }, { defaults } };
    for (int i = 0; i < 2; i++)
        free(s[i].values); //~ invalid-free
    return 0;
}
