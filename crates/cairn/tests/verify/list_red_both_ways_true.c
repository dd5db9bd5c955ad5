// A doubly linked list between sentinels with red nodes apart, walked backwards.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      Two red nodes in a row, seen when walking backwards.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct node { struct node *next, *prev; int red; };
int main(void) {
    struct node *nil = malloc(sizeof *nil), *list, *end, *p;
    nil->next = nil->prev = 0; nil->red = 0;
    list = malloc(sizeof *list); list->next = list->prev = nil; list->red = 0; end = list;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = nil; p->prev = end; end->next = p; end = p; p->red = 0;
        if (__VERIFIER_nondet_int()) {
            p->red = 1;
            p = malloc(sizeof *p); p->next = nil; p->prev = end; end->next = p; end = p; p->red = 0;
//@ broken: p = malloc(sizeof *p); p->next = nil; p->prev = end; end->next = p; end = p; p->red = 0; p->red = __VERIFIER_nondet_int() == 3;
        }
    }
    for (p = end; p != nil; p = p->prev) if (p->red) { if (p->prev == nil) reach_error(); if (p->prev->red) reach_error(); }
    while (list != nil) { p = list->next; free(list); list = p; }
    free(nil);
}
