// One of three handlers is missing.
//= memsafety: FALSE(valid-deref)
extern unsigned __VERIFIER_nondet_uint(void);
static int first(int x) { return x; }
static int second(int x) { return x + 1; }
static int (*const handlers[3])(int) = { first, 0, second };
int main(void) {
    unsigned which = __VERIFIER_nondet_uint() % 3;
    return handlers[which](1);
}
