// A function allocates a new node in each call.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      Each node holds the value that it was created with.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node {
    int data;
};
struct node *make(int data) {
    struct node *node = malloc(sizeof *node);
    node->data = data;
    return node;
}
int main(void) {
    struct node *a = make(1), *b = make(2);
    b->data = 7;
//@ broken: if (a != b && a->data == 1 && b->data == 2) reach_error();
    if (a == b || a->data == 7) reach_error();
//@ broken:
}
