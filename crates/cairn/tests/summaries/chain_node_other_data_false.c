// The function may store another value in the node.
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
void chain_node(struct node **head) {
    struct node *node = malloc(sizeof *node);
    node->data = __VERIFIER_nondet_int() ? 7 : 8;
    node->prev = 0;
    node->next = *head;
    *head = node;
}
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int())
        chain_node(&list);
    while (list) {
        if (list->data != 7) reach_error();
        list = list->next;
    }
}
