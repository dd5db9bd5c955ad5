// The copy has exactly the room for the string and its terminating zero.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *s = "feldspar";
    char *d = malloc(strlen(s) + 1);
    if (!d) return 1;
    strcpy(d, s);
    puts(d);
    free(d);
    return 0;
}
