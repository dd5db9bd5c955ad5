// The violation needs six different objects of one allocation site.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; struct node *next; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->number = all ? all->number + 1 : 1;
        n->next = all;
        all = n;
    }
    int sum = 0;
    for (struct node *n = all; n; n = n->next) sum += n->number;
    if (sum == 21) reach_error();
}
