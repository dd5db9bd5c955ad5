// The last node leads back to the first, which is freed before it is come to again.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int value; struct node *next; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = __VERIFIER_nondet_int();
        n->next = all;
        all = n;
    }
    struct node *first = all, *last = all;
    while (last && last->next) last = last->next;
    if (last && last != first) last->next = first;
    while (all) {
        struct node *next = all->next;
        free(all);
        all = next;
    }
}
