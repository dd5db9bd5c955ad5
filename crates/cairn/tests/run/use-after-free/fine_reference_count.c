// A counted object is freed only by the last release.
#include <stdio.h>
#include <stdlib.h>

struct shared { int refs; int value; };

static struct shared *take(struct shared *s) { s->refs++; return s; }

static void drop(struct shared **s) {
    if (--(*s)->refs == 0)
        free(*s);
    *s = NULL;
}

int main(void) {
    struct shared *a = malloc(sizeof *a);
    if (!a) return 1;
    a->refs = 1;
    a->value = 10;
    struct shared *b = take(a);
    drop(&a);
    printf("%d\n", b->value);
    drop(&b);
    return 0;
}
