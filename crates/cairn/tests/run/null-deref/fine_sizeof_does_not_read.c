// sizeof and the unevaluated side of && never read through the null pointer.
#include <stdio.h>

struct big { int data[32]; };

int main(void) {
    struct big *p = 0;
    size_t n = sizeof *p + sizeof p->data[3];
    if (p != 0 && p->data[0] == 1)
        n++;
    int first = p ? p->data[0] : -1;
    printf("%zu %d\n", n, first);
    return 0;
}
