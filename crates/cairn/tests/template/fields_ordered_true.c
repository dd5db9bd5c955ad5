// Two fields of every node are ordered, also after one of them is changed.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct span { int low, high; struct span *next; };
int main(void) {
    struct span *all = 0;
    while (__VERIFIER_nondet_int()) {
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (a > b) continue;
        struct span *s = malloc(sizeof *s);
        s->low = a;
        s->high = b;
        s->next = all;
        all = s;
    }
    for (struct span *s = all; s; s = s->next) {
        int to = __VERIFIER_nondet_int();
        if (to >= s->low) s->high = to;
    }
    for (struct span *s = all; s; s = s->next)
        if (s->low > s->high) reach_error();
}
