// The address of a weak function without a definition is null, also where it is called by its name.
//= memsafety: FALSE(valid-deref)
//@ asked = memsafety: TRUE
extern int hook(int) __attribute__((weak));
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    hook(x);
    //@ asked: if (hook) hook(x);
    return 0;
}
