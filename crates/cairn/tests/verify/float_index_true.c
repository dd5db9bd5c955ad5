// Less than one times ten, rounded in either direction, is an index of eleven.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      One times eleven is one too many.
#include <math.h>
//@ broken:
extern double __VERIFIER_nondet_double(void);
int table[11];
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= 0.0 && x < 1.0))
//@ broken: if (!(x >= 0.0 && x <= 1.0))
        return 0;
    return table[(int)(x * 10.0)] + table[(int)ceil(x * 10.0)] + table[(int)fabs(-floor(x))];
//@ broken: return table[(int)(x * 11.0)];
}
