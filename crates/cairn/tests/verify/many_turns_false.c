// Only a loop that turns three hundred times leaves the array, and each turn could have been the last.
//= memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char numbers[300];
    int odd = 0;
    int count = __VERIFIER_nondet_int();
    for (int i = 0; i < count; i++)
        numbers[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < count; i++)
        if (numbers[i] % 2) odd++;
    return odd > 0;
}
