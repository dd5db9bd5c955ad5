// Asking how large a freed object is.
#include <malloc.h>
#include <stdlib.h>

int main(void) {
    char *word = malloc(8);
    if (!word) {
        return 0;
    }
    free(word);
    return malloc_usable_size(word) > 1000; //~ use-after-free
}
