// Structs are passed and returned by value.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct pair { int a, b; struct pair *next; };
struct pair make(int a) { struct pair p; p.a = a; p.b = a; p.next = 0; return p; }
void push(struct pair p, struct pair **all) {
    struct pair *n = malloc(sizeof *n);
    *n = p;
    n->next = *all;
    *all = n;
}
int main(void) {
    struct pair *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct pair p = make(__VERIFIER_nondet_int());
        push(p, &all);
    }
    for (struct pair *p = all; p; p = p->next)
        if (p->a != p->b) reach_error();
}
