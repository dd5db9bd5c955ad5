// A list is traversed one node too far.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; };
int main(void) {
    struct node *all = malloc(sizeof *all);
    all->next = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->next = all;
        all = n;
    }
    while (__VERIFIER_nondet_int()) all = all->next;
}
