// The tail pointer was not advanced, so its node has a successor.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; struct node *next; };
int main(void) {
    struct node *first = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        if (last && last->next) reach_error();
        struct node *n = malloc(sizeof *n);
        n->next = 0;
        if (last) last->next = n;
        else first = n;
        if (!last || __VERIFIER_nondet_int()) last = n;
    }
    return first == 0;
}
