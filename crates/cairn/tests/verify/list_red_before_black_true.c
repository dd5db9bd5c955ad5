// A red node is always followed by a black one: freeing takes both.
//= memsafety: TRUE
//@ at_the_beginning = memsafety: FALSE(valid-deref)
//      The first node may be red and alone.
//@ at_the_end = memsafety: FALSE(valid-deref)
//      A red node may be the last one, so there is none to free after it.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct node { char red; struct node *next; };
int main(void) {
    struct node *list = malloc(sizeof *list), *end = list, *p;
    list->red = 0; list->next = 0;
//@ at_the_beginning: list->red = __VERIFIER_nondet_int() != 0; list->next = 0;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p); p->next = 0; p->red = 0; end->next = p; end = p;
        if (__VERIFIER_nondet_int()) {
            p->red = 1;
            p = malloc(sizeof *p); p->next = 0; p->red = 0; end->next = p; end = p;
//@ at_the_end:
        }
    }
    while (list) {
        if (list->red) { p = list->next; free(list); list = p->next; free(p); }
        else { p = list->next; free(list); list = p; }
    }
}
