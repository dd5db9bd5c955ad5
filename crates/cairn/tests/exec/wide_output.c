/* Wide output, formatting to wide strings, and the wide twins of string.h. */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void)
{
    wchar_t buffer[16];
    int printed = wprintf(L"%d %ls %s %c|%5.2f|%-6ls|\n", -7, L"wide", "narrow", 'x', 2.5, L"ab");
    wprintf(L"%d\n", printed);
    int n = swprintf(buffer, 16, L"%ls-%03u", L"item", 42u);
    wprintf(L"%d %ls\n", n, buffer);
    wprintf(L"%d\n", swprintf(buffer, 4, L"%d", 123456));
    wcscpy(buffer, L"one");
    wcsncat(buffer, L" two three", 4);
    wprintf(L"%ls %zu\n", buffer, wcslen(buffer));
    wchar_t *copy = wcsdup(buffer);
    wprintf(L"%td %td %ls\n", wcsrchr(copy, L'o') - copy, wcsstr(copy, L"e t") - copy, wcspbrk(copy, L"wt"));
    wprintf(L"%zu %zu %zu\n", wcsspn(copy, L"eno"), wcscspn(copy, L" "), wcsnlen(copy, 4));
    wprintf(L"%d %d\n", wcsstr(copy, L"four") == NULL, wmemchr(copy, L'n', 2) == copy + 1);
    fputws(L"end", stdout);
    putwchar(L'\n');
    free(copy);
    return 0;
}
