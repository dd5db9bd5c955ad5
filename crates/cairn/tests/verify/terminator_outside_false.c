// The smallest object ends before the zero byte that larger ones have.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    if (size < 1 || size > 4)
        return 0;
    char *text = calloc(size, 1);
    if (!text)
        return 0;
    text[0] = 'a';
    size_t length = strlen(text);
    free(text);
    return length > 3;
}
