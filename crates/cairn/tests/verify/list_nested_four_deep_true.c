// Lists of lists of lists of lists, all of any length and all of nodes of the same size.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      The innermost lists of lists of lists are lost with their owners.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct a { struct a *next; void *unused; };
struct b { struct b *next; struct a *below; };
struct c { struct c *next; struct b *below; };
struct d { struct d *next; struct c *below; };

int main(void) {
    struct d *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct d *d = malloc(sizeof *d);
        if (!d)
            abort();
        d->next = list;
        d->below = 0;
        list = d;
        while (__VERIFIER_nondet_int()) {
            struct c *c = malloc(sizeof *c);
            if (!c)
                abort();
            c->next = d->below;
            c->below = 0;
            d->below = c;
            while (__VERIFIER_nondet_int()) {
                struct b *b = malloc(sizeof *b);
                if (!b)
                    abort();
                b->next = c->below;
                b->below = 0;
                c->below = b;
                while (__VERIFIER_nondet_int()) {
                    struct a *a = malloc(sizeof *a);
                    if (!a)
                        abort();
                    a->next = b->below;
                    b->below = a;
                }
            }
        }
    }
    while (list) {
        struct d *d = list;
        list = d->next;
        while (d->below) {
            struct c *c = d->below;
            d->below = c->next;
            while (c->below) {
                struct b *b = c->below;
                c->below = b->next;
                while (b->below) {
//@ lost: while (0) {
                    struct a *a = b->below;
                    b->below = a->next;
                    free(a);
                }
                free(b);
            }
            free(c);
        }
        free(d);
    }
    return 0;
}
