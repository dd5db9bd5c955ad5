// The buffers of all nodes but the first are lost.
//= memsafety: FALSE(valid-memtrack)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct node { struct node *next; char *buffer; };
static struct node *push(struct node *list) {
    struct node *node = malloc(sizeof *node);
    node->buffer = malloc(1);
    node->next = list;
    return node;
}
int main(void) {
    struct node *list = push(push(push(0))), *next;
    while (__VERIFIER_nondet_int()) list = push(list);
    next = malloc(sizeof *next);
    next->next = list;
    list = next;
    while (__VERIFIER_nondet_int());
    while (list) {
        next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
