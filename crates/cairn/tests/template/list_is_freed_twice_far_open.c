// A node beyond the unwinding depth is freed twice.
//= deref: OPEN
//: points-to,intervals,nullness,neighbours,freed
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int value; struct node *next; };
int main(void) {
    struct node *all = 0, *kept = 0;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = __VERIFIER_nondet_int();
        n->next = all;
        all = n;
        if (count == 90) kept = n;
        if (count < 100) count++;
    }
    while (all) {
        struct node *next = all->next;
        free(all);
        if (kept == next && next) free(next);
        all = next;
    }
}
