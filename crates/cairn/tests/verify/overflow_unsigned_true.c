// Unsigned arithmetic, conversions and shifts of unsigned numbers have no signed result.
//= overflow: TRUE
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    unsigned c = a * b + (a << 31) - b;
    int d = (int)c;
    signed char e = (signed char)d;
    e++;
    return e == d;
}
