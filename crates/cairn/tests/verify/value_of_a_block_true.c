// The value of a statement expression may be the address of a variable that has ended.
//= memsafety: TRUE
//@ ended = memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = 0, *p = &n;
    if (__VERIFIER_nondet_int())
        p = ({ int y = 5; n = y; &n; });
//@ ended: p = ({ int y = 5; n = y; &y; });
    *p = 1;
    return 0;
}
