// Three marks that follow each other in a cycle, ended by a fourth.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The cycle of marks is left at one point.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct item { struct item *n; int k; };
int main(void) {
    struct item *a = malloc(sizeof *a), *p = a, *t; int s = 1;
    while (__VERIFIER_nondet_int()) {
        p->k = s; if (s == 1) s = 2; else if (s == 2) s = 3; else s = 1;
//@ broken: p->k = s; if (s == 1) s = 2; else if (s == 2) s = 3; else s = 2;
        t = malloc(sizeof *t); p->n = t; p = t;
    }
    p->k = 9; p->n = 0; p = a; s = 1;
    while (p->k != 9) {
        if (p->k != s) reach_error();
        if (s == 1) s = 2; else if (s == 2) s = 3; else s = 1;
        p = p->n;
    }
    while (a) { p = a->n; free(a); a = p; }
}
