// A bound for the nodes of one kind in a list with several kinds.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The bound is off by one.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct order { int kind, weight; struct order *next; };
int main(void) {
    struct order *all = 0;
    while (__VERIFIER_nondet_int()) {
        int kind = __VERIFIER_nondet_int(), weight = __VERIFIER_nondet_int();
        if (kind < 0 || kind > 2 || weight < 0 || weight > 50) continue;
        if (kind == 2 && weight > 30) continue;
//@ broken: if (kind == 2 && weight > 31) continue;
        struct order *o = malloc(sizeof *o);
        o->kind = kind;
        o->weight = weight;
        o->next = all;
        all = o;
    }
    for (struct order *o = all; o; o = o->next)
        if (o->kind == 2 && o->weight > 30) reach_error();
}
