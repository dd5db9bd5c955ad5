// A list with one marked node is turned around; the marked one is found, and from there the new head.
//= memsafety: TRUE
//@ back_link = memsafety: FALSE(valid-memtrack)
//      Turned around, but the links back still lead to where the list began.
//@ no_mark = memsafety: FALSE(valid-deref)
//      Nobody has the mark.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    struct node *prev;
    int kind;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = 0;
    head->prev = 0;
    head->kind = 0;
    struct node *at = head;
    while (__VERIFIER_nondet_int()) {
        at->next = malloc(sizeof *at);
        at->next->prev = at;
        at = at->next;
        at->next = 0;
        at->kind = 0;
    }
    at = head;
    while (at->next && __VERIFIER_nondet_int())
        at = at->next;
    at->kind = 1;
    struct node *before = 0;
    at = head;
    while (at) {
        struct node *next = at->next;
        at->next = before;
        at->prev = next;
//@ back_link: at->prev = before;
        before = at;
        at = next;
    }
    head = before;
    at = head;
    while (at->kind != 1)
//@ no_mark: while (at->kind != 2)
        at = at->next;
    while (at->prev)
        at = at->prev;
    while (at) {
        struct node *next = at->next;
        free(at);
        at = next;
    }
    return 0;
}
