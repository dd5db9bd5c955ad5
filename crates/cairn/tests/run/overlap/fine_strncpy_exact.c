// strncpy with a count that ends exactly at the start of the destination.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[24] = "limestone";
    strncpy(s + 10, s, 10);
    strncpy(s, s + 14, 5);
    printf("%.5s\n", s);
    return 0;
}
