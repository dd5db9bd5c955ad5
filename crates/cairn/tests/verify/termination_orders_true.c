// Several numbers, of which the first one that changes decreases.
//= termination: TRUE
//@ first_grows = termination: UNKNOWN
//@ inner_resets = termination: UNKNOWN
//@ zero_divides = termination: UNKNOWN
//@ swings = termination: UNKNOWN
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_int()) {
            x--;
            y = __VERIFIER_nondet_int();
        } else {
            y--;
            //@ first_grows: { y--; x++; }
        }
    }
    int i = 0;
    while (i < n) {
        i++;
        while (i < n && __VERIFIER_nondet_int())
            i++;
            //@ inner_resets: i = 0;
    }
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    if (x <= 0 || y <= 0)
        //@ zero_divides: if (x < 0 || y < 0)
        return 0;
    while (x != y) {
        if (x > y)
            x -= y;
        else
            y -= x;
    }
    while (n != 0)
        n = n > 0 ? n - 1 : n + 1;
        //@ swings: n = n > 0 ? n - 1 : 3;
    return 0;
}
