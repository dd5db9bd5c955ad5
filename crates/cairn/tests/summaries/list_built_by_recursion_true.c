// Each call adds a node and fills it after the recursive call has returned.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The third node from the end holds another value.
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
struct node *build(int n) {
    if (n <= 0) return 0;
    struct node *node = malloc(sizeof *node);
    node->data = 5;
//@ broken: node->data = n == 3 ? 4 : 5;
    node->prev = 0;
    node->next = build(n - 1);
    return node;
}
int main(void) {
    struct node *list = build(__VERIFIER_nondet_int());
    while (list) {
        if (list->data != 5) reach_error();
        list = list->next;
    }
}
