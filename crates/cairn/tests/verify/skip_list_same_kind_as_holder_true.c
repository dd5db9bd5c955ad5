// The struct that holds a skip list's ends has the same size as its nodes; the upper links of lower nodes are never set.
//= memsafety: TRUE
//@ freed_upper_node = memsafety: FALSE(valid-deref)
//      A node of the upper level is freed and taken out of that level only: the lower links still lead to it.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct item {
    struct item *upper, *lower;
};
struct list {
    struct item *head, *tail;
};
int main(void) {
    struct list *list = malloc(sizeof *list);
    list->head = malloc(sizeof(struct item));
    list->tail = malloc(sizeof(struct item));
    list->head->upper = list->head->lower = list->tail;
    list->tail->upper = list->tail->lower = 0;
    while (__VERIFIER_nondet_int()) {
        struct item *new = malloc(sizeof *new);
        new->lower = list->head->lower;
        list->head->lower = new;
        if (__VERIFIER_nondet_int()) {
            new->upper = list->head->upper;
            list->head->upper = new;
        }
    }
    struct item *walk = list->head;
//@ freed_upper_node: struct item *second = list->head->upper;
    while (walk->upper != list->tail) walk = walk->upper;
//@ freed_upper_node: if (second != list->tail) {
    while (walk != list->tail) walk = walk->lower;
//@ freed_upper_node: list->head->upper = second->upper;
//@ freed_upper_node+ free(second);
//@ freed_upper_node+ }
    while (list->head) {
        struct item *next = list->head->lower;
        free(list->head);
        list->head = next;
    }
    free(list);
    return 0;
}
