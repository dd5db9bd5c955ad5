// The traversal of a ring ends at its start: live objects have different addresses, even if all of them are freed in the end.
//= unreach: TRUE
//@ first = unreach: FALSE(unreach-call)
//@ third = unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; struct node *next; };
int main(void) {
    struct node *head = malloc(sizeof *head);
    head->number = 1;
    head->next = head;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->number = 2;
        //@ third: n->number = ++count == 3 ? 1 : 2;
        n->next = head->next;
        head->next = n;
    }
    for (struct node *n = head->next; n != head; n = n->next)
    //@ first: for (struct node *n = head; n->next != head; n = n->next)
        if (n->number != 2) reach_error();
    struct node *n = head->next;
    while (n != head) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
    free(head);
}
