// The number of every node is below the counter that numbered it: a zone over a field and a variable.
//= unreach: TRUE
//@ early = unreach: FALSE(unreach-call)
//@ back = unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int number; };
int main(void) {
    struct node *all = 0;
    int next = 0;
    while (next < 1000 && __VERIFIER_nondet_int()) {
        //@ early+ next++;
        struct node *n = malloc(sizeof *n);
        n->number = next;
        n->next = all;
        all = n;
        next++;
        //@ early:
    }
    //@ back+ if (next == 3) next = 2;
    for (struct node *n = all; n; n = n->next)
        if (n->number >= next) reach_error();
}
