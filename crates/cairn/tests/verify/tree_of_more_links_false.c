// Trees with two links per node come first, then trees whose subtrees have three. Freeing along two links loses nodes.
//= memsafety: FALSE(valid-memtrack)
//@ third_freed = memsafety: TRUE
//      All three links are followed.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *a, *b, *c; };
static struct tree *leaf(void) {
    struct tree *t = malloc(sizeof *t);
    t->a = t->b = t->c = 0;
    return t;
}
static struct tree *with_two(void) {
    struct tree *t = leaf();
    if (__VERIFIER_nondet_int()) { t->a = leaf(); t->b = leaf(); }
    return t;
}
static struct tree *with_three(void) {
    struct tree *t = leaf();
    if (__VERIFIER_nondet_int()) { t->a = leaf(); t->b = leaf(); t->c = leaf(); }
    return t;
}
static struct tree *with_two_of_three(void) {
    struct tree *t = leaf();
    if (__VERIFIER_nondet_int()) { t->a = with_three(); t->b = with_three(); }
    return t;
}
static void destroy(struct tree *t) {
    if (!t) return;
    destroy(t->a);
    destroy(t->b);
//@ third_freed: destroy(t->b); destroy(t->c);
    free(t);
}
int main(void) {
    struct tree *t = with_two();
    while (__VERIFIER_nondet_int()) { destroy(t); t = with_two(); }
    destroy(t);
    t = with_two_of_three();
    while (__VERIFIER_nondet_int()) { destroy(t); t = with_two_of_three(); }
    destroy(t);
    return 0;
}
