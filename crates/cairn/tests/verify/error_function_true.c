// The conditions on the way have none.
//= unreach: TRUE
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uchar();
    unsigned squared = x * x;
    if (squared % 4 == 3)
        reach_error();
    return 0;
}
