// A list with two ends that counts its nodes; where there are some, one can be taken.
//= memsafety: TRUE
//@ miscounted = memsafety: FALSE(valid-deref)
//      Nodes that are taken at the front are still counted.
//@ dangling = memsafety: FALSE(valid-deref)
//      The last node still leads to the one that was taken.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *prev, *next; };
struct deque { struct node *first, *last; unsigned size; };
static void push_front(struct deque *deque) {
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    node->prev = 0;
    node->next = deque->first;
    if (deque->first) deque->first->prev = node;
    else deque->last = node;
    deque->first = node;
    deque->size++;
}
static void pop_front(struct deque *deque) {
    struct node *node = deque->first;
    deque->first = node->next;
    if (deque->first) deque->first->prev = 0;
    else deque->last = 0;
    free(node);
    deque->size--;
//@ miscounted: ;
}
static void pop_back(struct deque *deque) {
    struct node *node = deque->last;
    deque->last = node->prev;
    if (deque->last) deque->last->next = 0;
//@ dangling: if (deque->last) ;
    else deque->first = 0;
    free(node);
    deque->size--;
}
int main(void) {
    struct deque deque = { 0, 0, 0 };
    while (__VERIFIER_nondet_int())
        if (__VERIFIER_nondet_int()) push_front(&deque);
        else if (deque.size) {
            if (__VERIFIER_nondet_int()) pop_front(&deque);
            else pop_back(&deque);
        }
    while (deque.first) pop_front(&deque);
    return 0;
}
