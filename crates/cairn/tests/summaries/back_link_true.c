// A function adds back links to a list of its caller (thesis, figure 3.5); with summaries only.
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
void back_link(struct node *list) {
    while (list) {
        struct node *next = list->next;
        if (next) next->prev = list;
        list = next;
    }
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
    back_link(list);
    while (list) {
        if (list->data != 3) reach_error();
        if (list->prev && list->prev->data != 3) reach_error();
        list = list->next;
    }
}
