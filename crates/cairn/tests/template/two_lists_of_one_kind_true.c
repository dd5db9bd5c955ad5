// One allocation site creates the nodes of two lists with different contents.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int value; struct node *next; };
int main(void) {
    struct node *negative = 0, *others = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = __VERIFIER_nondet_int();
        if (n->value < 0) {
            n->next = negative;
            negative = n;
        } else {
            n->next = others;
            others = n;
        }
    }
    for (struct node *n = negative; n; n = n->next)
        if (n->value >= 0) reach_error();
    for (struct node *n = others; n; n = n->next)
        if (n->value < 0) reach_error();
}
