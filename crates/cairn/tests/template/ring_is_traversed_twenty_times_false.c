// The sum is 100 only after twenty traversals of a ring of two nodes. Bounded model checking reaches executions of this length.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int weight; int *sum; struct node *next; };
int main(void) {
    int sum = 0;
    struct node *first = malloc(sizeof *first);
    first->weight = 1;
    first->sum = &sum;
    first->next = first;
    while (__VERIFIER_nondet_int()) {
        int weight = __VERIFIER_nondet_int();
        if (weight > 2 && weight < 10) {
            struct node *n = malloc(sizeof *n);
            n->weight = weight;
            n->sum = &sum;
            n->next = first;
            first->next = n;
        }
    }
    int turns = 0;
    for (struct node *n = first; sum < 100 && turns < 22; n = n->next) {
        *n->sum += n->weight;
        turns++;
    }
    if (sum == 100 && turns == 20) reach_error();
}
