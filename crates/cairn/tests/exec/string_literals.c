// String literals: concatenation, escapes, prefixes, sizes and embedded NULs.
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <uchar.h>

#define STR(x) #x
#define XSTR(x) STR(x)
#define NUM 42

int main(void)
{
    const char *joined = "one" " two"
                         " three" XSTR(NUM);
    printf("%s %zu\n", joined, strlen(joined));
    printf("%zu %zu %zu\n", sizeof "", sizeof "abc", sizeof "a\0b");
    printf("[%s] [%s]\n", "a\0b", "a\0b" + 2);
    printf("%zu\n", sizeof "\x41" "42");
    puts("\x41" "42");
    puts("\1012\60\0611");
    puts("tab\there \"quoted\" back\\slash \'s\' \?");
    puts("line one\
 continued");
    puts(STR("str \n" 'c' \t));
    const unsigned char *bytes = (const unsigned char *)"\xff\x80\u00e9\U0001F600";
    for (int i = 0; bytes[i]; i++)
        printf("%02x ", bytes[i]);
    putchar('\n');
    bytes = (const unsigned char *)u8"\u20acuro";
    printf("%zu %02x %02x %02x %s\n", sizeof u8"\u20acuro", bytes[0], bytes[1], bytes[2], bytes);
    const wchar_t *w = L"wide\u20ac" L"!";
    printf("%zu", sizeof L"wide");
    for (int i = 0; w[i]; i++)
        printf(" %d", (int)w[i]);
    putchar('\n');
    const char16_t *s16 = u"\U0001F600x";
    printf("%zu", sizeof u"\U0001F600x");
    for (int i = 0; s16[i]; i++)
        printf(" %x", s16[i]);
    putchar('\n');
    const char32_t s32[] = U"\U0001F600" "x";
    printf("%zu %x %x %x\n", sizeof s32, s32[0], s32[1], s32[2]);
    printf("%c%c\n", "index"[2], 3["index"]);
    printf("%d %s\n", *"deref", &"suffix"[3]);
    for (const char *p = "loop"; *p; ++p)
        printf("<%c>", *p);
    putchar('\n');
    return printf("%s\n", __func__) - 5;
}
