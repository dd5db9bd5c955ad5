// Two pointers to neighbouring nodes of one allocation site: a write to one node preserves the other.
//= unreach: TRUE
//@ may_be_itself = unreach: FALSE(unreach-call)
//      The list may be a ring of one node.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { struct node *next; int value; };
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = 0;
        n->next = all;
//@ may_be_itself: n->next = all ? all : n;
        all = n;
    }
    if (all && all->next) {
        struct node *a = all, *b = all->next;
        a->value = 1;
        b->value = 2;
        if (a->value != 1) reach_error();
    }
}
