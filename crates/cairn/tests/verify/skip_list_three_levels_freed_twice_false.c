// The last node of the top level is freed before the walk that frees all.
//= memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct item { struct item *n1, *n2, *n3; };
int main(void) {
    struct item *head = malloc(sizeof *head), *n;
    head->n1 = head->n2 = head->n3 = 0;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        n->n1 = head->n1; head->n1 = n; n->n2 = n->n3 = 0;
        if (__VERIFIER_nondet_int()) {
            n->n2 = head->n2; head->n2 = n;
            if (__VERIFIER_nondet_int()) { n->n3 = head->n3; head->n3 = n; }
        }
    }
    for (n = head; n; n = n->n3) ;
    for (n = head; n; n = n->n2) ;
    for (n = head; n->n3; n = n->n3) ;
    free(n);
    while (head) { n = head->n1; free(head); head = n; }
    return 0;
}
