// A function traverses a list of its caller (thesis, figure 3.4).
//= unreach: TRUE
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
int traverse(struct node *list) {
    int all = 1;
    while (list) {
        if (list->data < 1) all = 0;
        list = list->next;
    }
    return all;
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
    if (!traverse(list)) reach_error();
}
