// Copies a struct with padding by assignment, memcpy and byte by byte.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded { char c; long l; short s; };

int main(void) {
    struct padded *a = malloc(sizeof *a), b, c;
    if (!a) return 1;
    a->c = 'x';
    a->l = 7;
    a->s = 3;
    b = *a;
    memcpy(&c, &b, sizeof c);
    unsigned char raw[sizeof c];
    for (size_t i = 0; i < sizeof c; i++)
        raw[i] = ((unsigned char *)&c)[i];
    memcpy(a, raw, sizeof *a);
    printf("%c %ld %d\n", a->c, a->l, a->s);
    free(a);
    return 0;
}
