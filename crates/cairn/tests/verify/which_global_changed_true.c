// Two states that differ in which variable has changed are different, even if the variables look alike.
//= unreach: TRUE
//@ second = unreach: FALSE(unreach-call)
//@ first = unreach: FALSE(unreach-call)
//@ statics = unreach: FALSE(unreach-call)
//@ arrays = unreach: FALSE(unreach-call)
//@ pointer = unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int x, y, a[4], b[4], *p;
static int *one(void) {
    static int value;
    return &value;
}
static int *other(void) {
    static int value;
    return &value;
}
int main(void) {
    if (__VERIFIER_nondet_int())
        x = 1;
    else
        y = 1;
    if (x == y) reach_error();
//@ second: if (y == 1) reach_error();
//@ first: if (x == 1) reach_error();
    if (__VERIFIER_nondet_int())
        *one() = 1;
    else
        *other() = 1;
    if (*one() == *other()) reach_error();
//@ statics: if (*other() == 1) reach_error();
    if (__VERIFIER_nondet_int())
        a[1] = 1;
    else
        b[1] = 1;
    if (a[1] == b[1]) reach_error();
//@ arrays: if (b[1] == 1) reach_error();
    x = y = 0;
    p = __VERIFIER_nondet_int() ? &x : &y;
    *p = 1;
    if (x == y) reach_error();
//@ pointer: if (y == 1) reach_error();
    return 0;
}
