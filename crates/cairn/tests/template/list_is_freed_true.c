// No node of a list that is freed from its first node on is used again.
//= deref: TRUE
//@ late_use = deref: FALSE(valid-deref)
//      The node is used after it was freed.
//@ ring_is_freed = deref: FALSE(valid-deref)
//      The last node leads back to the first, which is freed before it is come to again.
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
//@ ring_is_freed+ struct node *first = all, *last = all;
//@ ring_is_freed+ while (last && last->next) last = last->next;
//@ ring_is_freed+ if (last && last != first) last->next = first;
    while (all) {
        struct node *next = all->next;
        free(all);
//@ late_use+ all->value = 0;
        all = next;
    }
}
