// What is allocated later may lie where something freed lay, or may not: here one more node is lost if it does not.
//= memsafety: FALSE(valid-memtrack)
#include <stdlib.h>

int main(void) {
    int *first = malloc(sizeof *first);
    if (!first)
        abort();
    int *with = malloc(sizeof *with);
    if (!with)
        abort();
    free(first);
    int *second = malloc(sizeof *second);
    if (!second)
        abort();
    if (with != first)
        free(with);
    if (second == first)
        free(second);
    return 0;
}
