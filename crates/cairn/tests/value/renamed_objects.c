// An allocation in a loop and in a wrapper: older objects stay apart from the newest one, and freed ones stay freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { struct node *next; int *cell; };

static void *get(unsigned long size) {
    void *p = malloc(size);
    if (!p)
        exit(1);
    return p;
}

static struct node *keep;

static struct node *make(struct node *next) {
    struct node *node = get(sizeof *node);
    node->next = next;
    node->cell = 0;
    if (!keep)
        keep = node;
    return node;
}

int main(void) {
    struct node *list = 0;
    int local = 3;
    for (int i = 0; i < 3; i++) {
        list = make(list);
        list->cell = i == 1 ? &local : get(sizeof(int));
        *list->cell = i;
    }
    struct node *first = keep;
    int sum = *first->cell + *list->cell + local;
    free(first->cell);
    if (__VERIFIER_nondet_int() & 1)
        first->cell = list->cell;
    sum += *first->cell;
    return sum & 1;
}
