// A number in the text of a file is any number of its type, or the text is no number.
//= memsafety: TRUE
//@ last = memsafety: FALSE(valid-deref)
//      The number is as large as the array.
//@ negative = memsafety: FALSE(valid-deref)
//      The number may be negative.
//@ unchecked = memsafety: FALSE(valid-deref)
//      Without a number in the input, the variable keeps its value.
//@ error = memsafety: FALSE(valid-deref)
//      A read in the middle of the number may fail.
//@ follows = memsafety: FALSE(valid-deref)
//      The byte after a number is no digit, but may be a letter.
//@ second = memsafety: FALSE(valid-deref)
//      The second number may be missing.
typedef struct stream FILE;
extern FILE *stdin;
extern int fscanf(FILE *, const char *, ...), scanf(const char *, ...);
extern int getchar(void), ferror(FILE *);
int main(void) {
    int table[10] = {0};
    unsigned m = 99; int n = 9;
//@ unchecked: unsigned m = 99; int n = 10;
    if (fscanf(stdin, "%d", &n) != 1)
        return table[n];
    // After a failed read, the digits may go on.
    int c = ferror(stdin) ? -1 : getchar();
//@ error: int c = getchar();
    if (c >= '0' && c <= '9')
//@ follows: if (c >= 'a')
        return table[10];
    if (n >= 0 && n < 10)
//@ last: if (n >= 0 && n <= 10)
//@ negative: if (n < 10)
        table[n] = 1;
    if (scanf("%d %u", &n, &m) == 2 && m < 10)
//@ second: if (scanf("%d %u", &n, &m) >= 1 && n < 0)
        return table[m];
    return 0;
}
