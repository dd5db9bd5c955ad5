// Two nodes share their successor: a write to it through one node is visible through the other.
//= unreach: OPEN
//: points-to,intervals,nullness,relative,neighbours
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int number; struct node *next; };
int main(void) {
    struct node *all = 0, *side = 0;
    int made = 0;
    while (made < 1000 && __VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->number = made++;
        n->next = all;
        if (made == 90) { side = n; continue; }
        all = n;
    }
    if (side && all && all != side->next) {
        struct node *last = all;
        while (last->next) {
            if (last->next == side->next && side->next) reach_error();
            last = last->next;
        }
    }
}
