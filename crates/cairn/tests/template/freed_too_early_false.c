// The next pointer is read from a node that was just freed.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->next = all;
        all = n;
    }
    while (all) {
        free(all);
        all = all->next;
    }
}
