// C does not define the distance of two objects. Adding it to a pointer into one of them does not give a pointer to the other.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>

int main(void) {
    char a = 1, z = 0;
    char *p = &z + (&a - &z);
    if (*p == 1)
        free(&a);
    return 0;
}
