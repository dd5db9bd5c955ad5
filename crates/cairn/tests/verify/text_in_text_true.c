// An index that is a sum of two counters stops where the text ends.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      One character further, the text may have ended before.
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

static int occurs(const char *text, const char *word) {
    for (int i = 0; text[i] != 0; i++) {
        int j;
        for (j = 0; word[j] != 0 && text[i + j] == word[j]; j++)
//@ broken: for (j = 0; word[j] != 0 && text[i + j + 2] == word[j]; j++)
            ;
        if (word[j] == 0)
            return 1;
    }
    return 0;
}

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 1)
        m = 1;
    if (n < 1)
        n = 1;
    char *text = __builtin_alloca(m), *word = __builtin_alloca(n);
    text[m - 1] = 0;
    word[n - 1] = 0;
    return occurs(text, word);
}
