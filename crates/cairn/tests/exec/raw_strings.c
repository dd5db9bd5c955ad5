/* Strings without escapes (GNU C), over several lines and with delimiters. */
#include <stdio.h>
#include <string.h>

const char text[] = R"x(a "quoted" \n )"
not the end)x";

int main(void)
{
    puts(text);
    puts(R"()" "joined\t" R"(\t)");
    printf("%zu %zu\n", sizeof LR"(ab)" / sizeof(L' '), strlen(u8R"(é)"));
    return 0;
}
