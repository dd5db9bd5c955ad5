// Where a pointer of any value points to is not known, so neither is what comes after it.
//= unreach: UNKNOWN
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if (p != 0 && *p == 3)
        reach_error();
    return 0;
}
