// A number in a string of inputs has exactly the value and the end that its digits give.
//= memsafety: TRUE
//@ end = memsafety: FALSE(valid-deref)
//      The end of the number may be the end of the text.
//@ digits = memsafety: FALSE(valid-deref)
//      A number may have more than one digit.
//@ sign = memsafety: FALSE(valid-deref)
//      A minus sign is part of the number.
//@ octal = memsafety: FALSE(valid-deref)
//      In base 0, a leading zero means an octal number.
//@ same = memsafety: FALSE(valid-deref)
//      The value zero does not mean that there is no number.
//@ blank = memsafety: FALSE(valid-deref)
//      Blanks before the number are skipped.
extern char __VERIFIER_nondet_char(void);
extern int atoi(const char *);
extern int sscanf(const char *, const char *, ...);
extern long strtol(const char *, char **, int);
int main(void) {
    int table[10] = {0};
    char text[4] = {__VERIFIER_nondet_char(), __VERIFIER_nondet_char(), __VERIFIER_nondet_char(), 0};
    char *end;
    long value = strtol(text, &end, 10);
//@ octal: long value = strtol(text, &end, 0); if (text[0] == '0' && value == 15) return table[10];
    if (value > 999 || value < -99)
//@ digits: if (value > 9 || value < -9)
//@ sign: if (value < 0)
        return table[10];
    if (end == text && value != 0)
//@ same: if (end != text && value == 0)
        return table[10];
    if (*end >= '0' && *end <= '9' && end != text)
//@ end: if (end[1] == 0)
        return table[10];
    if (text[0] >= 'a' && value > 0)
//@ blank: if (text[0] == ' ' && value > 0)
        return table[10];
    int other = 0;
    sscanf(text, "%d", &other);
    return other == value && atoi(text) == value ? 0 : table[10];
}
