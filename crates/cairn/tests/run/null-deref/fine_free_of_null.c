// free of null does nothing, and realloc of null allocates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = NULL;
    free(s);
    s = realloc(s, 8);
    if (!s) return 1;
    strcpy(s, "seven..");
    puts(s);
    free(s);
    s = NULL;
    free(s);
    return 0;
}
