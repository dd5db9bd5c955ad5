// A byte is written at an offset with too many values to try one by one.
//= memsafety: TRUE
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    if (count < 2 || count > 1000)
        return 0;
    char *data = malloc(count);
    data[0] = 1;
    *(data + count - 1) = 2;
    free(data);
    return 0;
}
