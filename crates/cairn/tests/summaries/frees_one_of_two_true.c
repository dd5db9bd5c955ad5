// A function frees one parameter and uses the other.
//= deref: TRUE
//@ broken = deref: FALSE(valid-deref)
//      The parameters may be aliases.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
};
void drop(struct node *a, struct node *b) {
    free(a);
    b->data = 1;
}
int main(void) {
    struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    drop(p, q);
//@ broken: drop(p, __VERIFIER_nondet_int() ? p : q);
}
