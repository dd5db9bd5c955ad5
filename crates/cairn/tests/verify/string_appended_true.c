// What is appended fits: the index is the sum of two lengths, and the end of the first string is where nothing else points.
//= memsafety: TRUE
//@ anywhere = memsafety: FALSE(valid-deref)
//      Nothing says that both strings fit.
//@ broken = memsafety: FALSE(valid-deref)
//      One byte too few for the end of the string.
//@ too_long = memsafety: FALSE(valid-deref)
//      One byte less room than two strings need.
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

static char *append(char *to, const char *from) {
    char *end = to;
    while (*end != 0)
        end++;
    while ((*end++ = *from++) != 0)
        ;
    return to;
}

int main(void) {
    int first = __VERIFIER_nondet_int(), room = __VERIFIER_nondet_int(), used = __VERIFIER_nondet_int();
    if (first < 1)
        first = 1;
    if (room < 1)
        room = 1;
    if (used < 1)
        used = 1;
    if (used > room || room - used < first)
//@ anywhere: if (used > room)
//@ broken: if (used > room || room - used < first - 2)
//@ too_long: if (used > room || room - used < first - 2)
        return 0;
    char *from = __builtin_alloca(first), *to = __builtin_alloca(room);
    for (int i = 0; i < first - 1; i++)
        from[i] = __VERIFIER_nondet_char();
    for (int i = 0; i < used - 1; i++)
        to[i] = __VERIFIER_nondet_char();
    from[first - 1] = 0;
    to[used - 1] = 0;
    append(to, from);
    return 0;
}
