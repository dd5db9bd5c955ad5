// A pointer before the end of a string is behind it after the zero byte has been overwritten.
extern int __VERIFIER_nondet_int(void);

static char text[8] = "abc";

static void overwrite(char *at) {
    for (int i = 0; i < 8; i++)
        at[i] = 'x';
}

int main(void) {
    char *p = text;
    while (*p) {
        if (*p == 'b' && (__VERIFIER_nondet_int() & 1))
            overwrite(text);
        p++;
    }
    char local[4];
    local[3] = 0;
    for (int i = 0; i < 3; i++)
        local[i] = 'a';
    char *q = local;
    while (*q) {
        if (__VERIFIER_nondet_int() == 0)
            local[3] = 'z';
        q++;
    }
    return 0;
}
