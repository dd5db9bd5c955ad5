// Reading the standard input may fail without reaching its end.
//= memsafety: TRUE
//@ forgotten = memsafety: FALSE(valid-free)
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *text = malloc(1);
    if (!text)
        return 1;
    if (getchar() == EOF && !feof(stdin)) {
        free(text);
        text = NULL;
//@ forgotten:
    }
    free(text);
    return 0;
}
