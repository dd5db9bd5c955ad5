// No node holds more than the greatest number that was put in.
//= unreach: TRUE
//@ less = unreach: FALSE(unreach-call)
//      It may be as much.
//@ first = unreach: FALSE(unreach-call)
//      Only the first number counts.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void abort(void);
extern void reach_error(void);
struct node { struct node *next; int data; };
int main(void) {
    struct node *list = 0;
    int greatest = 0;
    while (__VERIFIER_nondet_int()) {
        int data = __VERIFIER_nondet_int();
        if (data < 0) continue;
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = data;
        if (data > greatest) greatest = data;
//@ first: if (!list) greatest = data;
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        if (node->data > greatest) reach_error();
//@ less: if (node->data >= greatest) reach_error();
    return 0;
}
