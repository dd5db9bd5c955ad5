// Frees a pointer that was moved on into the block.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("   indented");
    if (!s) return 1;
    while (*s == ' ')
        s++;
    free(s); //~ invalid-free
    return 0;
}
