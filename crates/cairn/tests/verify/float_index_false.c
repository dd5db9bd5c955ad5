// One times eleven is one too many.
//= memsafety: FALSE(valid-deref)
extern double __VERIFIER_nondet_double(void);
int table[11];
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= 0.0 && x <= 1.0))
        return 0;
    return table[(int)(x * 11.0)];
}
