// Each node may own another of its own type.
//= memsafety: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    struct node *inner;
};

int main(void) {
    struct node *list = 0;
    do {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->inner = 0;
        if (__VERIFIER_nondet_int()) {
            node->inner = malloc(sizeof *node);
            node->inner->next = 0;
            node->inner->inner = 0;
        }
        list = node;
    } while (__VERIFIER_nondet_int());
    while (list) {
        struct node *next = list->next;
        if (list->inner) {
            if (list->inner->inner)
                reach_error();
            free(list->inner);
        }
        free(list);
        list = next;
    }
    return 0;
}
