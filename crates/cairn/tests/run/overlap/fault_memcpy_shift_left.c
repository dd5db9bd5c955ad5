// memcpy closes a gap by moving the rest to the left.
#include <stdlib.h>
#include <string.h>

struct list { int n; long items[8]; };

static void remove_at(struct list *l, int i) {
    memcpy(&l->items[i], &l->items[i + 1], (l->n - i - 1) * sizeof l->items[0]); //~ overlap
    l->n--;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l) return 1;
    l->n = 8;
    remove_at(l, 6);
    remove_at(l, 1);
    free(l);
    return 0;
}
