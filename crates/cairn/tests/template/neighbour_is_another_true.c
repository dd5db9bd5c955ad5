// Two pointers to nodes of one place, of which one is behind the other: writing to one leaves the other.
//= unreach: TRUE
//@ may_be_itself = unreach: FALSE(unreach-call)
//      The same, but the list may be a ring of one.
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
