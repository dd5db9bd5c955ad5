// The loops have constant iteration counts, so bounded model checking covers all executions.
//= unreach: TRUE
//@ last = unreach: FALSE(unreach-call)
//@ far = unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct node { int square; struct node *next; };
int main(void) {
    struct node *table[40];
    for (int i = 0; i < 40; i++) {
        table[i] = malloc(sizeof *table[i]);
        table[i]->square = i * i;
        table[i]->next = i ? table[i - 1] : 0;
    }
    int sum = 0;
    for (struct node *n = table[39]; n; n = n->next) sum += n->square;
    //@ last: for (struct node *n = table[39]; n && n->next; n = n->next->next) sum += n->square;
    //@ far: for (struct node *n = table[39]; n; n = n->next) sum += n->square + (n->square == 9 && __VERIFIER_nondet_int() == 4711);
    if (sum != 20540) reach_error();
}
