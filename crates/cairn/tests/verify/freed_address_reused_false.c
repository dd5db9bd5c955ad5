// An allocator may return the address of a freed object: the new object is equal to the dangling pointer.
//= memsafety: FALSE(valid-deref)
//@ live = memsafety: TRUE
//@ realloc = memsafety: FALSE(valid-deref)
#include <stdlib.h>

static int *make(int depth) {
    if (depth > 0)
        return make(depth - 1);
    return malloc(sizeof(int));
}

int main(void) {
    int two[2] = {0, 0};
    int *first = malloc(sizeof *first);
    unsigned long old = (unsigned long)first;
    free(first);
    //@ live: two[0] = 1;
    int *second = make(3);
    //@ realloc: int *second = realloc(make(3), 2);
    two[2 * ((unsigned long)second == old)] = 1;
    free(second);
    //@ live: free(second); free(first);
    return two[0];
}
