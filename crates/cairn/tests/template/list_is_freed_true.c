// No node of a list is accessed after it was freed, first node first.
//= deref: TRUE
//@ late_use = deref: FALSE(valid-deref)
//      A node is accessed after it was freed.
//@ ring_is_freed = deref: FALSE(valid-deref)
//      The last node points back to the first, which is already freed when the traversal returns to it.
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
