// strcat appends the tail of a string to itself, overwriting the zero it looks for.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[32] = "abcdef";
    char *tail = strchr(s, 'd');
    if (!tail) return 1;
    strcat(s, tail); //~ overlap
    puts(s);
    return 0;
}
