// Forgets the room for the terminating zero when copying a string to the heap.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s) {
    char *d = malloc(strlen(s));
    if (!d) exit(1);
    strcpy(d, s); //~ out-of-bounds
    return d;
}

int main(void) {
    char *d = copy("feldspar");
    puts(d);
    free(d);
    return 0;
}
