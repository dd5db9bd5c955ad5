// What follows the last node of the upper level of a skip list is freed, but not taken out.
//= memsafety: FALSE(valid-deref)
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
    for (n = head; n->up != tail; n = n->up); if (n->lo != tail) { m = n->lo; free(m); }     while (head) { n = head->lo; free(head); head = n; } return 0;
}
