// The struct that holds a skip list's ends has the same size as its nodes; the upper links of lower nodes are never set.
//= memsafety: TRUE
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
    while (walk->upper != list->tail) walk = walk->upper;
    while (walk != list->tail) walk = walk->lower;
    while (list->head) {
        struct item *next = list->head->lower;
        free(list->head);
        list->head = next;
    }
    free(list);
    return 0;
}
