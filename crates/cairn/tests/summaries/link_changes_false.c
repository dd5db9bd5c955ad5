// A function unlinks a neighbour, which is no longer the successor afterwards.
//= unreach: FALSE(unreach-call)
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
void link(struct node *a, struct node *b) { a->next = b; }
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = 0;
        if (list) link(node, list);
        list = node;
    }
    struct node *second = list->next;
    link(list, second->next);
    if (list->next != second) reach_error();
}
