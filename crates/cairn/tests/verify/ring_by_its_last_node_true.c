// A ring that is known by its last node, which grows and shrinks.
//= memsafety: TRUE
//@ alone = memsafety: FALSE(valid-deref)
//      The only node is freed, and the ring is not empty then.
//@ dropped = memsafety: FALSE(valid-memtrack)
//      The ring is opened, and what follows the first node is lost.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; int value; };
static void append(struct node **last) {
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    node->value = 1;
    if (*last) {
        node->next = (*last)->next;
        (*last)->next = node;
    } else
        node->next = node;
    *last = node;
}
static void remove_first(struct node **last) {
    struct node *first = (*last)->next;
    if (first == *last) *last = 0;
//@ alone: if (0) ;
    else (*last)->next = first->next;
//@ dropped: else (*last)->next = *last;
    free(first);
}
int main(void) {
    struct node *last = 0;
    while (__VERIFIER_nondet_int())
        if (last && __VERIFIER_nondet_int()) remove_first(&last);
        else append(&last);
    while (last) remove_first(&last);
    return 0;
}
