// A skip list of three levels, filled at the front, walked by the upper links, freed by the lowest.
//= memsafety: TRUE
//@ dangling = memsafety: FALSE(valid-deref)
//      A node of the top level is taken out of the two lower ones only.
//@ freed_twice = memsafety: FALSE(valid-deref)
//      The last node of the top level is freed before the walk that frees all.
//@ lost = memsafety: FALSE(valid-memtrack)
//      Nodes of the lowest level are not on the middle one, by which the list is freed.
//@ wrong_link = memsafety: FALSE(valid-deref)
//      The node that is taken out may be one of the middle level, where a link to it stays.
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
//@ dangling+ if (head->n1 && head->n1 == head->n2 && head->n2 == head->n3) {
//@ dangling+ n = head->n1; head->n1 = n->n1; head->n2 = n->n2; free(n);
//@ dangling+ head->n3->n3 = 0;
//@ dangling+ }
//@ freed_twice+ for (n = head; n->n3; n = n->n3) ;
//@ freed_twice+ free(n);
//@ wrong_link+ n = head;
//@ wrong_link+ while (n->n3 && __VERIFIER_nondet_int()) n = n->n3;
//@ wrong_link+ while (n->n2 != n->n3 && __VERIFIER_nondet_int()) n = n->n2;
//@ wrong_link+ if (n->n1) { struct item *out = n->n1; n->n1 = out->n1; free(out); }
//@ wrong_link+ for (n = head; n; n = n->n2) ;
    while (head) { n = head->n1; free(head); head = n; }
//@ lost: while (head) { n = head->n2; free(head); head = n; }
    return 0;
}
