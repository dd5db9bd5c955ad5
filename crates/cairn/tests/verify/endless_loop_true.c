// The loop has no bound, but what it counts is never read: after a turn everything is as before.
//= memsafety: TRUE
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0;
    while (__VERIFIER_nondet_int())
        x++;
    return 0;
}
