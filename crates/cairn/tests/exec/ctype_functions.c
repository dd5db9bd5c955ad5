// ctype.h classification and case mapping over the ASCII range and EOF.
#include <stdio.h>
#include <ctype.h>

#define COUNT(f) ({ int _n = 0; for (int _c = 0; _c < 128; _c++) _n += f(_c) != 0; _n; })

int main(void)
{
    printf("%d %d %d %d\n", COUNT(isalpha), COUNT(isdigit), COUNT(isalnum), COUNT(isspace));
    printf("%d %d %d %d\n", COUNT(isupper), COUNT(islower), COUNT(ispunct), COUNT(isprint));
    printf("%d %d %d %d\n", COUNT(isgraph), COUNT(iscntrl), COUNT(isxdigit), COUNT(isblank));
    printf("%d %d\n", isalpha(EOF), isspace(EOF));
    printf("%d %d %d %d\n", toupper('q'), tolower('Q'), toupper('5'), tolower(EOF));
    const char *text = "Hello, World 2024!\tEnd_of line";
    int words = 0, in = 0;
    for (const char *p = text; *p; p++) {
        unsigned char c = *p;
        if (isalnum(c)) {
            if (!in)
                words++;
            in = 1;
        } else {
            in = 0;
        }
        if (isupper(c))
            putchar(tolower(c));
        else if (islower(c))
            putchar(toupper(c));
        else if (isdigit(c))
            putchar('#');
        else if (isspace(c))
            putchar('~');
        else
            putchar(c);
    }
    printf("\n%d\n", words);
    for (int c = 0; c < 128; c += 3)
        putchar(isprint(c) ? c : '.');
    putchar('\n');
    int v = 0;
    for (const char *p = "1fA9"; isxdigit((unsigned char)*p); p++)
        v = v * 16 + (isdigit((unsigned char)*p) ? *p - '0' : toupper(*p) - 'A' + 10);
    printf("%d\n", v);
    printf("%d %d\n", isascii(200) != 0, toascii('a' + 128));
    return 0;
}
