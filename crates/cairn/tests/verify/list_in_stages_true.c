// The nodes of a ring carry stages that come one after the other.
//= memsafety: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    struct node *prev;
    int stage;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = head;
    head->prev = head;
    head->stage = 0;
    struct node *last = head;
    int stage = 1;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        last->next = node;
        node->prev = last;
        node->next = head;
        head->prev = node;
        last = node;
        node->stage = stage;
        if (__VERIFIER_nondet_int() && stage < 3)
            stage = stage == 1 ? 2 : 3;
    }
    struct node *at = head->next;
    while (at->stage != 0) {
        if (at->next->stage != 0 && at->stage > at->next->stage)
            reach_error();
        at = at->next;
    }
    at = head->prev;
    while (at->stage != 0) {
        struct node *before = at->prev;
        free(at);
        at = before;
    }
    free(head);
    return 0;
}
