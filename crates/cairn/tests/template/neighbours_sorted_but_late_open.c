// Every node has a greater number than the next one, except for a pair after more nodes than there are tracked instances.
//= unreach: OPEN
//: points-to,intervals,nullness,relative,neighbours
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; struct node *next; };
int main(void) {
    struct node *all = 0;
    for (int i = 0; i < 1000 && __VERIFIER_nondet_int(); i++) {
        struct node *n = malloc(sizeof *n);
        n->number = i == 200 ? 199 : i;
        n->next = all;
        all = n;
    }
    for (struct node *n = all; n && n->next; n = n->next)
        if (n->number <= n->next->number) reach_error();
}
