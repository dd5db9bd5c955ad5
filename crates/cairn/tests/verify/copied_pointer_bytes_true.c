// A pointer copied byte by byte still points to its object.
//= memsafety: TRUE
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p), *q;
    for (unsigned i = 0; i < sizeof p; i++)
        ((char *)&q)[i] = ((char *)&p)[i];
    *q = 3;
    free(q);
    return 0;
}
