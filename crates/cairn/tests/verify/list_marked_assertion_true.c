// What a mark promises of the next node holds.
//= unreach: TRUE
//@ end_lost = memsafety: FALSE(valid-memtrack)
//      The node behind the mark is lost.
//@ walked_past = memsafety: FALSE(valid-deref)
//      The mark is never found: the walk goes on behind the last node.
//@ wrong_data = unreach: FALSE(unreach-call)
//      The node behind the mark has another one.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    int kind;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->kind = 0;
    struct node *last = head;
    while (__VERIFIER_nondet_int()) {
        last->next = malloc(sizeof *last);
        last = last->next;
        last->kind = 0;
    }
    last->kind = 1;
    last->next = malloc(sizeof *last);
    last->next->kind = 2;
//@ walked_past+ last->kind = 0;
//@ walked_past+ last->next->kind = 0;
//@ wrong_data+ if (head->next != last)
//@ wrong_data+ last->next->kind = 3;
    struct node *at = head;
    while (at->kind != 1)
        at = at->next;
    if (at->next->kind != 2)
        reach_error();
    while (head->kind != 1) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    free(head->next);
//@ end_lost:
    free(head);
    return 0;
}
