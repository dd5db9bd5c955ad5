// string.h: copying, comparing, searching, spans and tokenising.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SGN(x) ({ int _v = (x); (_v > 0) - (_v < 0); })
#define AT(base, p) ({ const char *_p = (p); _p ? (int)(_p - (base)) : -1; })

int main(void)
{
    char a[32], b[32];
    printf("%zu %zu %zu\n", strlen(""), strlen("four"), strnlen("abcdef", 3));
    printf("%s\n", strcpy(a, "hello"));
    printf("%s\n", strcat(a, " world"));
    strncpy(b, "abc", 8);
    printf("%s %d %d\n", b, b[3], b[7]);
    strncpy(b, "truncated", 5);
    b[5] = 0;
    printf("%s\n", b);
    printf("%s\n", strncat(b, "XYZ", 2));
    printf("%d %d %d %d\n", SGN(strcmp("a", "b")), SGN(strcmp("b", "a")), SGN(strcmp("ab", "a")), strcmp("x", "x"));
    printf("%d %d\n", SGN(strcmp("\xff", "a")), SGN(strcmp("", "a")));
    printf("%d %d %d\n", strncmp("abcd", "abxx", 2), SGN(strncmp("abcd", "abxx", 3)), strncmp("a", "b", 0));
    printf("%d %d\n", strcasecmp("HeLLo", "hEllO"), SGN(strncasecmp("ABCd", "abce", 4)));
    const char *s = "needle in haystack";
    printf("%d %d %d %d\n", AT(s, strchr(s, 'e')), AT(s, strrchr(s, 'e')), AT(s, strchr(s, 'z')), AT(s, strchr(s, 0)));
    printf("%d %d %d\n", AT(s, strstr(s, "in")), AT(s, strstr(s, "")), AT(s, strstr(s, "pin")));
    printf("%d %d\n", AT(s, strpbrk(s, "yi")), AT(s, strpbrk(s, "QZ")));
    printf("%zu %zu %zu\n", strspn("aabbcc", "ab"), strcspn("hello, all", ", "), strspn("xyz", ""));
    char line[] = "one,two,,three;four";
    for (char *t = strtok(line, ",;"); t; t = strtok(NULL, ",;"))
        printf("<%s>", t);
    putchar('\n');
    char line2[] = "k=v  x=y", *save;
    for (char *t = strtok_r(line2, " ", &save); t; t = strtok_r(NULL, " ", &save))
        printf("<%s>", t);
    putchar('\n');
    char csv[] = "a,,b", *rest = csv, *field;
    while ((field = strsep(&rest, ",")))
        printf("[%s]", field);
    putchar('\n');
    char *d = strdup("duplicate"), *e = strndup("duplicate", 3);
    printf("%s %s\n", d, e);
    free(d);
    free(e);
    printf("%s\n", stpcpy(a, "end") - 1);
    printf("%d\n", AT(s, strchrnul(s, 'Q')) > 0);
    printf("%s\n", strcasestr("Find The Word", "the"));
    return 0;
}
