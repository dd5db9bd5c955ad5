// The items of all nodes hold the same number as their nodes, not as each other.
//= unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern void reach_error(void);
struct item { struct item *next; int data; };
struct node { struct node *next; int data; struct item *item; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = __VERIFIER_nondet_int();
        node->item = 0;
        if (__VERIFIER_nondet_int()) {
            node->item = malloc(sizeof *node->item);
            if (!node->item) abort();
            node->item->data = node->data;
            node->item->next = 0;
        }
        node->next = list;
        list = node;
    }
    if (list && list->item && list->next && list->next->item)
        if (list->item->data != list->next->item->data) reach_error();
}
