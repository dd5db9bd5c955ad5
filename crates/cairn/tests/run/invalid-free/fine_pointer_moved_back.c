// The pointer is moved through the block and moved back before free.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("   indented");
    if (!s) return 1;
    int n = 0;
    while (*s == ' ') {
        s++;
        n++;
    }
    free(s - n);
    return 0;
}
