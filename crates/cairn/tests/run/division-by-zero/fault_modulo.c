// Takes the remainder by a table size of zero.
#include <stdio.h>

struct table { unsigned size; int *slots; };

static unsigned slot(const struct table *t, unsigned hash) {
    return hash % t->size; //~ division-by-zero
}

int main(void) {
    struct table t = { 0, 0 };
    printf("%u\n", slot(&t, 12345u));
    return 0;
}
