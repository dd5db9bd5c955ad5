// An assumed condition holds.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
extern void __VERIFIER_assume(int);
struct node { struct node *next; int value; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        __VERIFIER_assume(value > 7);
        struct node *n = malloc(sizeof *n);
        n->value = value;
        n->next = all;
        all = n;
    }
    for (struct node *n = all; n; n = n->next)
        if (n->value == 7) reach_error();
}
