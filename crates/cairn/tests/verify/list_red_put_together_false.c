// Of two lists that are put together the first ends with a red node, the second may begin with one.
//= unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct node { char red; struct node *next; };
static struct node *build(int last) {
    struct node *list = 0, *p;
    if (last) { list = malloc(sizeof *list); list->next = 0; list->red = 1; }
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = list; p->red = 0;
        if (list && !list->red && __VERIFIER_nondet_int()) p->red = 1;
        list = p;
    }
    return list;
}
int main(void) {
    struct node *list = build(1), *more = build(0), *p;
    if (list) { for (p = list; p->next; p = p->next) ; p->next = more; } else list = more;
    for (p = list; p; p = p->next)
        if (p->red) { if (!p->next) reach_error(); if (p->next->red) reach_error(); }
    while (list) { p = list->next; free(list); list = p; }
}
