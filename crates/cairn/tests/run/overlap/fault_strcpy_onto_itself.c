// strcpy skips the first character of a string within the same buffer.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[16] = "/usr/bin";
    strcpy(s, s + 1); //~ overlap
    puts(s);
    return 0;
}
