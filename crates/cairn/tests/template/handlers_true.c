// Nodes have one of two handlers; both keep the number in range.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; int (*step)(int); struct node *next; };
static int up(int number) { return number < 50 ? number + 1 : 0; }
static int down(int number) { return number > 0 ? number - 1 : 50; }
int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->number = 10;
        n->step = __VERIFIER_nondet_int() ? up : down;
        n->next = all;
        all = n;
    }
    while (__VERIFIER_nondet_int())
        for (struct node *n = all; n; n = n->next) {
            n->number = n->step(n->number);
            if (n->number < 0 || n->number > 50) reach_error();
        }
}
