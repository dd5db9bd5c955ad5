// Results that glibc gives and that a model may not exclude.
//= memsafety: TRUE
//@ process = memsafety: FALSE(valid-deref)
//      A child has a number of its own.
//@ reopened = memsafety: FALSE(valid-deref)
//      A stream that is opened again may keep its descriptor.
//@ given = memsafety: FALSE(valid-deref)
//      A stream has the descriptor that it is given.
//@ ignored = memsafety: FALSE(valid-deref)
//      The parent may have left a signal ignored.
//@ read = memsafety: FALSE(valid-deref)
//      A failed read sets errno.
//@ terminal = memsafety: FALSE(valid-deref)
//      isatty fails with EBADF, too.
//@ seed = memsafety: FALSE(valid-deref)
//      rand_r leaves any seed.
//@ token = memsafety: FALSE(valid-deref)
//      The first call of strtok needs a text.
//@ base = memsafety: FALSE(valid-deref)
//      With an invalid base, strtol does not set the end.
//@ message = memsafety: FALSE(valid-deref)
//      The message has 18 letters.
//@ unknown = memsafety: FALSE(valid-deref)
//      A number without a message needs the buffer.
//@ closed = memsafety: FALSE(valid-deref)
//      A stream without a descriptor reads its arguments.
//@ descriptor = memsafety: FALSE(valid-deref)
//      dprintf reads its arguments, whatever the descriptor is.
//@ domain = memsafety: UNKNOWN
//      The logarithm of a negative number sets errno.
#define NULL ((void *)0)
typedef struct stream FILE;
extern FILE *stdin, *stdout;
extern FILE *freopen(const char *, const char *, FILE *), *fdopen(int, const char *);
extern int fileno(FILE *), getchar(void), isatty(int), close(int), fork(void), getpid(void), rand_r(unsigned *);
extern int printf(const char *, ...), dprintf(int, const char *, ...), fclose(FILE *), open(const char *, int, ...);
extern void (*signal(int, void (*)(int)))(int);
extern char *strtok(char *, const char *), *strerror(int), *strerror_r(int, char *, unsigned long);
extern char *strcpy(char *, const char *);
extern long strtol(const char *, char **, int);
extern int *__errno_location(void);
extern double log(double);
int main(void) {
    int table[4] = {0};
    int before = getpid();
    if (fork() == 0)
//@ process: if (fork() == 0 && getpid() != before) table[4]++;
        return table[getpid() < 0 ? 4 : 0];
    table[before != getpid() ? 4 : 0]++;
    if (signal(2, (void (*)(int))1) == (void (*)(int))1)
//@ ignored: if (signal(2, (void (*)(int))1) == (void (*)(int))1) table[4]++;
        table[0]++;
    FILE *again = freopen("file", "r", stdin);
    if (again && fileno(again) < 0)
//@ reopened: if (again && fileno(again) != 3)
        table[4]++;
    FILE *given = fdopen(0, "r");
    if (given && fileno(given) != 0)
//@ given: if (given && fileno(given) == 0)
        table[4]++;
    *__errno_location() = 0;
    if (again && getchar() >= 0 && *__errno_location())
//@ read: if (again && getchar() < 0 && *__errno_location())
        table[4]++;
    if (!isatty(0) && *__errno_location() == 0)
//@ terminal: if (!isatty(0) && *__errno_location() == 9)
        table[4]++;
    unsigned seed = 1;
    if (rand_r(&seed) < 0)
//@ seed: if (rand_r(&seed) >= 0 && seed == 662824084)
        table[4]++;
    char words[] = "a b";
    table[0] += strtok(words, " ")[0];
//@ token: strtok(NULL, " ");
    char *end;
    table[0] += strtol("1", &end, 10);
//@ base: table[0] += strtol("1", &end, 1);
    table[0] += *end;
    char message[19];
//@ message: char message[18];
    strcpy(message, strerror(125));
    char small[20];
//@ unknown: char small[4];
    table[0] += strerror_r(7777, small, 20)[0];
    char text[2] = {'x', 0};
//@ closed: char text[1] = {'x'};
    close(1);
    printf("%s", text);
    int fd = open("file", 1);
    char other[2] = {'x', 0};
//@ descriptor: char other[1] = {'x'};
    dprintf(fd, "%s", other);
    *__errno_location() = 0;
    double number = log(2.0);
    if (*__errno_location() != 0 && number < 0)
//@ domain: if (*__errno_location() == 33)
        table[0]++;
//@ domain: table[4]++;
    return 0;
}
