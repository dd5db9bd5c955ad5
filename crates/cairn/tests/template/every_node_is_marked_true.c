// A cursor marks every node of a list from the first one on.
//= unreach: TRUE
//@ but_the_first = unreach: FALSE(unreach-call)
//      The cursor starts after the first node.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct task { int done; struct task *next; };
int main(void) {
    struct task *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct task *t = malloc(sizeof *t);
        t->done = 0;
        t->next = all;
        all = t;
    }
    for (struct task *t = all; t; t = t->next) t->done = 1;
//@ but_the_first: for (struct task *t = all ? all->next : 0; t; t = t->next) t->done = 1;
    for (struct task *t = all; t; t = t->next)
        if (t->done != 1) reach_error();
}
