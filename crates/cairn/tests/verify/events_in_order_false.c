// Five events in one order and no other lead to the error; states that were met before must not hide the way.
//= unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void) {
    int stage = 0;
    while (__VERIFIER_nondet_int()) {
        int event = __VERIFIER_nondet_int();
        if (event == 7 * stage + 3)
            stage++;
        else
            stage = 0;
        if (stage == 5) __VERIFIER_error();
    }
    return 0;
}
