// A node of the upper level is freed and taken out of that level only: the lower links still lead to it.
//= memsafety: FALSE(valid-deref)
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
    struct item *second = list->head->upper;
    if (second != list->tail) {
        list->head->upper = second->upper;
        free(second);
    }
    while (list->head) {
        struct item *next = list->head->lower;
        free(list->head);
        list->head = next;
    }
    free(list);
    return 0;
}
