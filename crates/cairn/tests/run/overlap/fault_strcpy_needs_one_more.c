// The zero of the copied string would land on the start of the source.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[16] = "xxxxabcd";
    strcpy(s, s + 4); //~ overlap
    puts(s);
    return 0;
}
