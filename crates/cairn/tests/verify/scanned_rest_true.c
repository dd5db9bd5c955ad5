// The byte after a number: a conversion may end before a digit, also if it fails.
//= memsafety: TRUE
//@ word = memsafety: FALSE(valid-deref)
//      `inf1` is a number and a digit.
//@ no_word = memsafety: FALSE(valid-deref)
//      `in12` is no number, but its letters are consumed.
//@ octal = memsafety: FALSE(valid-deref)
//      `078` is an octal number and a digit.
//@ sign = memsafety: FALSE(valid-deref)
//      `-5` is a sign and a digit for a width of one.
typedef struct stream FILE;
extern FILE *stdin;
extern int scanf(const char *, ...), getchar(void), ferror(FILE *);
int main(void) {
    int table[2] = {0};
    int n;
    float f;
    if (scanf("%d", &n) != 1)
        return 0;
    //@ word: if (scanf("%f", &f) != 1) return 0;
    //@ no_word: if (scanf("%f", &f) == 1) return 0;
    //@ octal: if (scanf("%i", &n) != 1) return 0;
    //@ sign: if (scanf("%1d", &n) == 1) return 0;
    if (ferror(stdin))
        return 0;
    int c = getchar();
    if (c >= '0' && c <= '9')
        return table[c];
    return 0;
}
