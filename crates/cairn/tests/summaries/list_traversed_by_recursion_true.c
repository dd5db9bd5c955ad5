// Each call changes a node of the caller's list and recurses to the next one.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The last node gets another value.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node {
    struct node *next;
    struct node *prev;
    int data;
};
void set(struct node *list) {
    if (!list) return;
    list->data = 3;
//@ broken: list->data = list->next ? 3 : 4;
    set(list->next);
}
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->data = 3;
        node->prev = 0;
        node->next = list;
        list = node;
    }
    set(list);
    while (list) {
        if (list->data != 3) reach_error();
        list = list->next;
    }
}
