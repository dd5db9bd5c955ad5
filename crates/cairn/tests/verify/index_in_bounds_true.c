// The same with the right bound.
//= memsafety: TRUE
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int table[8] = {0};
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 8)
        return 0;
    return table[i];
}
