// The size wraps around, so the last element lies outside.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    if (count == 0)
        return 0;
    char *data = malloc(count + 1);
    data[count] = 1;
    data[0] = data[count];
    free(data);
    return 0;
}
