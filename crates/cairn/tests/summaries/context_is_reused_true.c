// A call with inputs that a known context subsumes reuses that context; other calls get their own.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The last call changes the other node.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int value; struct node *next; };
static void set(struct node *n, int value) { n->value = value; }
int main(void) {
    struct node *low = malloc(sizeof *low), *high = malloc(sizeof *high);
    set(low, 1);
    set(high, 1000);
    set(low, 2);
//@ broken: set(high, 2);
    if (low->value > 2) reach_error();
    if (high->value != 1000) reach_error();
}
