// The source string ends exactly before the destination begins.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[16] = "abcd";
    strcpy(s + 5, s);
    printf("%s %s\n", s, s + 5);
    strcpy(s, s + 6);
    puts(s);
    return 0;
}
