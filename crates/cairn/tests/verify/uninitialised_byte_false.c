// What malloc left in the object decides how far it is read.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
int main(void) {
    unsigned char *p = malloc(4);
    int end = 0;
    while (p[end] != 0)
        end++;
    free(p);
    return end;
}
