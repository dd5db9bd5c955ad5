// The loop has no bound that exploring could exhaust.
//= memsafety: UNKNOWN
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0;
    while (__VERIFIER_nondet_int())
        x++;
    return 0;
}
