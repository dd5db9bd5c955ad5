// A list is freed node by node and not accessed afterwards.
//= deref: TRUE
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
        n->next = 0;
        if (__VERIFIER_nondet_int()) { free(n); continue; }
        free(all);
        all = n;
    }
    if (all) all->next = 0;
}
