// The nodes of the upper level of a skip list hold the same.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The nodes of the lower level of a skip list do not hold what those of the upper one do.
//@ last_freed_twice = memsafety: FALSE(valid-deref)
//      What follows the last node of the upper level of a skip list is freed, but not taken out.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct item { struct item *lo, *up; int key; };
int main(void) {
    struct item *head = malloc(sizeof *head), *tail = malloc(sizeof *tail), *n, *m;
    head->lo = head->up = tail; tail->lo = tail->up = 0; head->key = tail->key = 2;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        n->lo = head->lo; head->lo = n; n->up = 0; n->key = 1;
        if (__VERIFIER_nondet_int()) { n->up = head->up; head->up = n; n->key = 2; }
    }
    for (n = head; n; n = n->up) if (n->key != 2) reach_error(); return 0;
//@ broken: for (n = head; n; n = n->lo) if (n->key != 2) reach_error(); return 0;
//@ last_freed_twice: for (n = head; n->up != tail; n = n->up); if (n->lo != tail) { m = n->lo; free(m); }     while (head) { n = head->lo; free(head); head = n; } return 0;
}
