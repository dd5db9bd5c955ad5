// A function returns without freeing the block its local points to.
#include <stdlib.h>
#include <string.h>

static size_t count(const char *s) {
    char *copy = strdup(s); //~ leak
    if (!copy) return 0;
    copy[0] = 'X';
    return strlen(copy);
}

int main(void) {
    return count("slate") == 5 ? 0 : 1;
}
