// What a caller computes from an address, or compares it with, is no pointer to the object.
//= memsafety: TRUE
//@ bits = memsafety: UNKNOWN
//      A function loses the object and ends the program. Its caller has some bits of the address.
//@ compared = memsafety: FALSE(valid-memtrack)
//      A function loses the object and ends the program. Its caller has compared the address with a number.
//@ passed = memsafety: FALSE(valid-memtrack)
//      A function loses the object, whose address was passed as a number, and ends the program.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
static int *global;
static int *take(void) {
    int *taken = global;
    global = NULL;
    return taken;
}
static void use(int *item) {
    *item = 1;
    if (__VERIFIER_nondet_bool()) {
//@ bits+ item = NULL;
//@ compared+ item = NULL;
        exit(0);
    }
    free(item);
}
static void use_number(unsigned long number) {
    *(int *)number = 1;
    if (__VERIFIER_nondet_bool()) {
//@ passed+ number = 0;
        exit(0);
    }
    free((int *)number);
}
static int *make(void) {
    int *item = malloc(sizeof *item);
    if (!item)
        abort();
    return item;
}
int main(void) {
    int bits = 0;
    unsigned long number = 0;
    global = make();
//@ bits+ bits = (int)((unsigned long)global % 3);
//@ compared+ number = __VERIFIER_nondet_ulong();
//@ compared+ if (number == (unsigned long)global + 1) number = 0;
    use(take());
    use_number((unsigned long)make());
    return bits + (number > 5);
}
