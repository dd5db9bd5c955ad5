// An array that grows twofold: the number of items never exceeds what there is room for, and that gives the size.
//= memsafety: TRUE
//@ bytes = memsafety: FALSE(valid-deref)
//      As many bytes as items, from the second growth on.
//@ late = memsafety: FALSE(valid-deref)
//      One item too late.
//@ promised = memsafety: FALSE(valid-deref)
//      More room is promised than there is.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct vector { int *items; unsigned long count, room; };

static int push(struct vector *v, int item)
{
    if (v->count == v->room) {
//@ late: if (v->count == v->room + (v->room == 8)) {
        if (v->room > 100000)
            return 0;
        unsigned long room = v->room ? 2 * v->room : 8;
        int *items = realloc(v->items, room * sizeof *items);
//@ bytes: int *items = realloc(v->items, room > 8 ? room : room * sizeof *items);
        if (!items)
            return 0;
        v->items = items;
        v->room = room;
//@ promised: v->room = room == 8 ? room + 1 : room;
    }
    v->items[v->count++] = item;
    return 1;
}

int main(void)
{
    struct vector v = { 0, 0, 0 };
    while (__VERIFIER_nondet_int() && push(&v, 1))
        ;
    for (unsigned long i = 0; i < v.count; i++)
        v.items[i]++;
    free(v.items);
    return 0;
}
