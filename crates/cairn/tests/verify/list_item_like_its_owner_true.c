// What a node owns, if anything, holds the same number as the node.
//= unreach: TRUE
//@ others = unreach: FALSE(unreach-call)
//      Items of two nodes need not be alike.
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
    for (struct node *node = list; node; node = node->next)
//@ others: struct node *node = list;
//@ others+ if (node && node->item && node->next && node->next->item)
        if (node->item && node->item->data != node->data) reach_error();
//@ others: if (node->item->data != node->next->item->data) reach_error();
}
