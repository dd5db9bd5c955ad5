// A node in the middle is made red, perhaps right before a red one.
//= unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct node { struct node *next; int data; int red; };
int main(void) {
    struct node *list = 0, *p;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = list; p->red = 0; p->data = __VERIFIER_nondet_int();
        if (list && !list->red && __VERIFIER_nondet_int()) p->red = 1;
        list = p;
    }
    for (p = list; p && __VERIFIER_nondet_int(); p = p->next) ;
    if (p && p->next) p->red = 1;
    for (p = list; p; p = p->next)
        if (p->red) { if (!p->next) reach_error(); if (p->next->red) reach_error(); }
    while (list) { p = list->next; free(list); list = p; }
}
