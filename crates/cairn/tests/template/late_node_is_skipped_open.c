// A node beyond the unwinding depth is skipped.
//= unreach: OPEN
//: points-to,intervals,passed,cases
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct task { int done; struct task *next; };
int main(void) {
    struct task *all = 0;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        struct task *t = malloc(sizeof *t);
        t->done = 0;
        t->next = all;
        all = t;
        if (count < 100) count++;
    }
    int passed = 0;
    for (struct task *t = all; t; t = t->next) {
        if (passed != 90) t->done = 1;
        passed++;
    }
    for (struct task *t = all; t; t = t->next)
        if (t->done != 1) reach_error();
}
