// A function changes one of two nodes.
//= unreach: TRUE
//@ each_node_is_set = unreach: FALSE(unreach-call)
//      A function changes one node, then another.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node {
    int data;
};
void set(struct node *node, int data) { node->data = data; }
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->data = 1;
//@ each_node_is_set: set(a, 1);
    b->data = 1;
//@ each_node_is_set:
    set(b, 2);
    if (a->data != 1) reach_error();
//@ each_node_is_set: if (a->data == 1 && b->data == 2) reach_error();
}
