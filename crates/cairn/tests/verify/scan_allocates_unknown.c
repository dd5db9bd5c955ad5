// The conversion allocates a string, which no model follows.
//= memsafety: UNKNOWN
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *word = NULL;
    if (sscanf("hello", "%ms", &word) == 1) {
        free(word);
        free(word);
    }
    return 0;
}
