// A list is reversed, and again, while the caller points into it.
//= memsafety: TRUE
//@ becomes_the_list = memsafety: FALSE(valid-memtrack)
//      The second reversal starts in the middle, and what lay before is lost.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *build(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        node->data = 1;
        list = node;
    }
    return list;
}

static void clear(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

static struct node *reverse(struct node *list) {
    struct node *result = 0;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

int main(void) {
    struct node *list = build();
    struct node *middle = list;
    while (middle && middle->next && __VERIFIER_nondet_int())
        middle = middle->next;
    list = reverse(list);
    if (middle)
//@ becomes_the_list: list = reverse(middle);
        middle->data = 7;
//@ becomes_the_list:
    list = reverse(list);
//@ becomes_the_list:
    if (middle)
        middle->data = 8;
    clear(list);
    return 0;
}
