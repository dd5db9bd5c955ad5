// The two numbers of every node have a constant sum: octagons over fields.
//= unreach: TRUE
//@ more = unreach: FALSE(unreach-call)
//@ third = unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int spent, left; };
int main(void) {
    struct node *all = 0;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        int spent = __VERIFIER_nondet_int();
        if (spent < 0 || spent > 50) continue;
        struct node *n = malloc(sizeof *n);
        n->spent = spent;
        n->left = 50 - spent;
        //@ third: n->left = (++count == 3) + 50 - spent;
        n->next = all;
        all = n;
    }
    for (struct node *n = all; n; n = n->next)
        if (n->left > 0) {
            n->left--;
            n->spent++;
            //@ more: n->spent += 2;
        }
    for (struct node *n = all; n; n = n->next)
        if (n->spent + n->left != 50) reach_error();
}
