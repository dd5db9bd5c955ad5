// The black node after a red one is taken out, whatever comes next.
//= memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct node { struct node *next; int data; int red; };
int main(void) {
    struct node *list = 0, *p;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = list; p->red = 0; p->data = __VERIFIER_nondet_int();
        if (list && !list->red && __VERIFIER_nondet_int()) p->red = 1;
        list = p;
    }
    p = list;
    while (p) {
        if (p->next && p->next->red && __VERIFIER_nondet_int()) {
            struct node *r = p->next, *b = r->next;
            r->next = b->next; free(b);
        }
        p = p->next;
    }
    while (list) {
        if (list->red) { p = list->next; free(list); list = p->next; free(p); }
        else { p = list->next; free(list); list = p; }
    }
}
