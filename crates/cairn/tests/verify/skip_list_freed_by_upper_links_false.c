// A skip list is freed along its upper links only: the lower nodes are lost.
//= memsafety: FALSE(valid-memtrack)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct item {
    struct item *upper, *lower;
};
int main(void) {
    struct item *head = malloc(sizeof *head), *tail = malloc(sizeof *tail);
    head->upper = head->lower = tail;
    tail->upper = tail->lower = 0;
    while (__VERIFIER_nondet_int()) {
        struct item *new = malloc(sizeof *new);
        new->lower = head->lower;
        head->lower = new;
        if (__VERIFIER_nondet_int()) {
            new->upper = head->upper;
            head->upper = new;
        }
    }
    while (head) {
        struct item *next = head->upper;
        free(head);
        head = next;
    }
    return 0;
}
