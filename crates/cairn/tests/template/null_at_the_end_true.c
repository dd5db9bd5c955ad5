// A list is traversed to its end and not further.
//= deref: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next, *prev; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->prev = 0;
        n->next = all;
        if (all) all->prev = n;
        all = n;
    }
    struct node *last = 0;
    for (struct node *n = all; n; n = n->next) last = n;
    while (last) last = last->prev;
}
