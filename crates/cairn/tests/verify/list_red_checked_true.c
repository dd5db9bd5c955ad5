// No red node follows another, and none is the last.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      What follows a red node may be red, too.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct node { char red; struct node *next; };
int main(void) {
    struct node *list = malloc(sizeof *list), *end = list, *p;
    list->red = 0; list->next = 0;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = 0; p->red = 0; end->next = p; end = p;
        if (__VERIFIER_nondet_int()) {
            p->red = 1;
            p = malloc(sizeof *p); p->next = 0; p->red = 0; end->next = p; end = p;
//@ broken: p = malloc(sizeof *p); p->next = 0; p->red = __VERIFIER_nondet_int() == 7; end->next = p; end = p;
        }
    }
    for (p = list; p; p = p->next)
        if (p->red) { if (!p->next) reach_error(); if (p->next->red) reach_error(); }
    while (list) { p = list->next; free(list); list = p; }
}
