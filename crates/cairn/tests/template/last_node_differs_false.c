// The last node has a different value.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int value; };
int main(void) {
    struct node *all = 0;
    int more = 1;
    while (more) {
        more = __VERIFIER_nondet_int();
        struct node *n = malloc(sizeof *n);
        n->value = more ? 1 : 2;
        n->next = all;
        all = n;
    }
    for (struct node *n = all; n; n = n->next)
        if (n->value != 1) reach_error();
}
