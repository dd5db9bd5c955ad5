// A declaration or a type name may lower the alignment of a variable.
//= unreach: TRUE
//@ named = unreach: FALSE(unreach-call)
//@ declared = unreach: FALSE(unreach-call)
//@ local = unreach: UNKNOWN
//@ array = unreach: FALSE(unreach-call)
extern void reach_error(void);
typedef int anywhere __attribute__((aligned(1)));
typedef int even __attribute__((aligned(2)));
int plain;
even pairs;
anywhere free_of_rules[3];
int main(void) {
    int inner = 0;
    int *p = &plain;
    //@ declared: static int q __attribute__((aligned(2))); int *p = &q;
    //@ named: int *p = (int *)&pairs;
    //@ local: anywhere q = 1; int *p = (int *)&q;
    //@ array: int *p = (int *)free_of_rules;
    if ((unsigned long)p & 3)
        reach_error();
    if ((unsigned long)&pairs & 1 || (unsigned long)&inner & 3)
        reach_error();
    return 0;
}
