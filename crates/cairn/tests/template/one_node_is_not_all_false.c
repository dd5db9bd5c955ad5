// A property of the first node does not hold for other nodes of the same allocation site.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int value; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = __VERIFIER_nondet_int();
        n->next = all;
        all = n;
    }
    if (all && all->value >= 5)
        for (struct node *n = all; n; n = n->next)
            if (n->value < 5) reach_error();
}
