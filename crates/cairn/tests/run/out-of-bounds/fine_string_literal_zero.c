// Reads the terminating zero of a string literal, its last valid character.
#include <stdio.h>

int main(void) {
    const char *s = "quartz";
    int n = 0;
    while (s[n])
        n++;
    printf("%d %d\n", n, s[6] == '\0');
    printf("%d\n", "abc"[3]);
    return 0;
}
