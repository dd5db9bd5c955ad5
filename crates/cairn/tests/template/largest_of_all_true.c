// A variable bounds a field of every node, although it got its value after most nodes were created.
//= unreach: TRUE
//@ some = unreach: FALSE(unreach-call)
//      Late nodes do not update the variable.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int value; };
int main(void) {
    struct node *all = 0;
    int largest = -1;
//@ some: int largest = -1, count = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = __VERIFIER_nondet_int();
        if (n->value > largest) largest = n->value;
//@ some: if (count < 2 && n->value > largest) largest = n->value;
//@ some+ count++;
        n->next = all;
        all = n;
    }
    for (struct node *n = all; n; n = n->next)
        if (n->value > largest) reach_error();
}
