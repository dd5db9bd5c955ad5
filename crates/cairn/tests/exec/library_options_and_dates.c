// Options of a command line in every form, dates as text, the conventions of the C locale, and sets of signals.
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void options(const char *list, int count, ...)
{
    static struct option names[] = {
        { "verbose", no_argument, 0, 'v' }, { "output", required_argument, 0, 'o' }, { "level", optional_argument, 0, 'l' },
        { "version", no_argument, 0, 'V' }, { 0, 0, 0, 0 },
    };
    char *argv[12] = { "program" };
    __builtin_va_list arguments;
    __builtin_va_start(arguments, count);
    for (int i = 1; i <= count; i++)
        argv[i] = __builtin_va_arg(arguments, char *);
    __builtin_va_end(arguments);
    optind = 0;
    opterr = 0;
    int c, index = -1;
    while ((c = getopt_long(count + 1, argv, list, names, &index)) != -1)
        printf("[%d %s %d] ", c, optarg ? optarg : "-", c == '?' ? optopt : index);
    for (int i = optind; i <= count; i++)
        printf("%s ", argv[i]);
    printf("| %d\n", optind);
}

int main(void)
{
    options("ab:c::", 6, "x", "-a", "y", "-b", "1", "z");
    options("ab:c::", 5, "-ab2", "-c", "-c3", "--", "-a");
    options("+ab:", 3, "-a", "stop", "-b");
    options("-ab:", 4, "one", "-a", "two", "-b3");
    options(":ab:", 2, "-q", "-b");
    options("vo:l::", 6, "--verbose", "file", "--output=x", "--output", "y", "--level");
    options("vo:l::", 4, "--ver", "--outp", "z", "--none");
    char *plain[] = { "program", "-x", "5", "rest", 0 };
    optind = 0;
    int letter = getopt(4, plain, "x:");
    printf("%d %s", letter, optarg);
    letter = getopt(4, plain, "x:");
    printf(" %d %d\n", letter, optind);

    static const long moments[] = { 0, 951782400, 1104537599, 1230768000, 1609372800, 1700000000 };
    for (unsigned i = 0; i < sizeof moments / sizeof *moments; i++) {
        char text[200];
        time_t moment = moments[i];
        struct tm *when = gmtime(&moment);
        size_t n = strftime(text, sizeof text, "%a %A %b %B %C %d %D %e %F %g %G %H %I %j %m %M %p %r %R %S %T %u %U %V %w %W %y %Y %%", when);
        printf("%zu %s\n", n, text);
        strftime(text, sizeof text, "%c|%x|%X|%k|%l|%P|%n|%t|%h", when);
        printf("%s %s", text, asctime(when));
        printf("%zu\n", strftime(text, 5, "%F", when));
    }
    struct lconv *conventions = localeconv();
    printf("%s %s %d %s\n", conventions->decimal_point, conventions->thousands_sep, conventions->int_frac_digits,
        setlocale(LC_ALL, 0));
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGTERM);
    printf("%d %d", sigismember(&action.sa_mask, SIGTERM), sigismember(&action.sa_mask, SIGINT));
    printf(" %d", sigaction(SIGUSR1, &action, &before));
    printf(" %d", sigaction(SIGUSR1, 0, &before));
    printf(" %d %d\n", before.sa_handler == SIG_IGN, sigismember(&before.sa_mask, SIGTERM));
    struct stat status;
    printf("%d\n", stat("/no/such/file", &status));
    return 0;
}
