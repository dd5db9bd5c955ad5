// A pointer to an old node may equal one found later: a common allocation site does not decide equality.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; };
int main(void) {
    struct node *all = 0, *kept = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->next = all;
        all = n;
        if (__VERIFIER_nondet_int()) kept = n;
    }
    for (struct node *n = all; n; n = n->next)
        if (n == kept) reach_error();
}
