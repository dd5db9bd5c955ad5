// Calendar, error texts, growing texts, and functions on strings that are used less often.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

static void day(time_t seconds)
{
    struct tm *t = gmtime(&seconds);
    printf("%d-%d-%d %d:%d:%d %d %d %d\n", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec, t->tm_wday,
           t->tm_yday, timegm(t) == seconds);
}

int main(void)
{
    day(0);
    day(951782400);
    day(1709210096);
    day(-1);
    day(4107542400);
    printf("%d %.0f\n", time(NULL) > 1700000000, difftime(5, 3));

    printf("%s|%s|%s|%s\n", strerror(0), strerror(ENOENT), strerror(ERANGE), strerror(4711));
    printf("%s\n", setlocale(LC_ALL, NULL));
    errno = 0;
    FILE *f = fopen("/no/such/folder/file", "r");
    printf("%d %d\n", f == NULL, errno == ENOENT);

    char *text;
    int n = asprintf(&text, "%s-%05d-%c", "grown", 42, 'x');
    printf("%d %s\n", n, text);
    free(text);

    char buffer[32] = "one,two;;three";
    char *rest = buffer;
    for (char *word; (word = strsep(&rest, ",;"));)
        printf("[%s]", word);
    putchar('\n');
    char line[] = "  a bb  ccc ";
    char *save;
    for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
        printf("<%s>", word);
    putchar('\n');
    printf("%s %s %s\n", strcasestr("Hello World", "WORLD"), strchrnul("abc", 'x') + 0 ? "end" : "", index("path/to", '/'));
    printf("%d %d %d\n", strcasecmp("ABC", "abd") < 0, strncasecmp("ABCx", "abcy", 3), strcoll("a", "b") < 0);
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "lo"), strpbrk("keyed", "dy"));
    printf("%s %s\n", (char *)memmem("xxneedlexx", 10, "needle", 6), (char *)memrchr("a.b.c", '.', 5));
    memset(buffer, '#', sizeof buffer);
    char *end = stpncpy(buffer, "ab", 5);
    printf("%td %d %d %c\n", end - buffer, buffer[2], buffer[4], buffer[5]);
    printf("%d %d\n", ffs(0x50), ffsl(1L << 20));
    printf("%zu %d %ls\n", wcslen(L"wide"), wcscmp(L"a", L"b") < 0, wcschr(L"abc", L'b'));
    printf("%d %d %d %d\n", isalpha('x'), isdigit('7'), ispunct('!'), isspace('\v'));
    char *copy = strndup("truncated", 5);
    printf("%s %zu\n", copy, strnlen(copy, 3));
    free(copy);
    char many[8];
    n = snprintf(many, sizeof many, "%s", "longer than eight");
    printf("%d %s\n", n, many);
    return 0;
}
