// The outer loop goes on only where the character was none of the second string, so it was not the end of the first either.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      The second string may have no end, or one that the first one does not stop at.
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

static unsigned span(const char *text, const char *stop) {
    const char *at = text;
    for (;;) {
        char c = *at++, other;
        const char *next = stop;
        do {
            if ((other = *next++) == c)
                return at - 1 - text;
        } while (other != 0);
    }
}

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 1)
        m = 1;
    if (n < 1)
        n = 1;
    char *text = __builtin_alloca(m), *stop = __builtin_alloca(n);
    for (int i = 0; i < m - 1; i++)
        text[i] = __VERIFIER_nondet_char();
    text[m - 1] = 0;
    stop[n - 1] = 0;
//@ broken: stop[n - 1] = __VERIFIER_nondet_char();
    return span(text, stop);
}
