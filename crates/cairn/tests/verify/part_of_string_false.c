// A precision does not make a dangling pointer printable.
//= memsafety: FALSE(valid-deref)
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    free(p);
    printf("%.3s", p);
    return 0;
}
