// Character constants: escapes, multi-character, wide and UTF prefixed.
#include <stdio.h>
#include <wchar.h>
#include <uchar.h>

int main(void)
{
    printf("%d %d %d %d\n", 'a', '0', ' ', '~');
    printf("%d %d %d %d %d %d %d\n", '\a', '\b', '\f', '\n', '\r', '\t', '\v');
    printf("%d %d %d %d\n", '\'', '"', '\"', '\\');
    printf("%d %d\n", '\?', '?');
    printf("%d %d %d %d\n", '\0', '\7', '\101', '\377');
    printf("%d %d %d\n", '\x41', '\x7f', '\xff');
    printf("%d\n", '\e');
    printf("%d %d\n", 'ab', 'abcd');
    printf("%zu %zu %zu %zu\n", sizeof 'a', sizeof L'a', sizeof u'a', sizeof U'a');
    printf("%d %d\n", (int)L'\x1234', (int)L'\u20ac');
    printf("%d %d\n", u'\uffff', u'\u00e9');
    printf("%u %u\n", U'\U0001F600', U'z');
    wchar_t w = L'\xffffffff';
    char16_t c16 = u'\xffff';
    char32_t c32 = U'\xffffffff';
    printf("%d %d %d\n", w < 0, c16 > 0, c32 > 0);
    char digits[] = { '0' + 5, 'A' + 25, 'z' - 1, 0 };
    puts(digits);
    for (char ch = 'a'; ch <= 'e'; ch++)
        putchar(ch);
    putchar('\n');
    printf("%c%c%c\n", 'x', 'x' ^ ' ', 120);
    printf("%d\n", 'z' - 'a' + 1);
    return 0;
}
