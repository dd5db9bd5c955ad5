// A recursive function receives a struct and changes its own copy.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The struct of the caller is unchanged.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct pair {
    int a, b;
};
int down(struct pair p, int n) {
    p.a++;
    if (n <= 0) return p.b;
//@ broken: if (n <= 0) return p.a > 1 ? p.b : 0;
    return down(p, n - 1);
}
int main(void) {
    struct pair p = {1, 2};
    if (down(p, __VERIFIER_nondet_int()) != 2) reach_error();
    if (p.a != 1) reach_error();
//@ broken: if (p.a == 1) reach_error();
}
