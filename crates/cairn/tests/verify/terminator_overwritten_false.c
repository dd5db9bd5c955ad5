// A byte at any index is set after the terminator: it may be the terminator.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);

int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    if (size < 1 || size > 10000)
        return 0;
    char *text = malloc(size);
    for (unsigned i = 0; i < size; i++)
        text[i] = __VERIFIER_nondet_char();
    text[size - 1] = 0;
    unsigned index = __VERIFIER_nondet_uint();
    if (index < size)
        text[index] = 'x';
    char *end = text;
    while (*end)
        end++;
    free(text);
    return 0;
}
