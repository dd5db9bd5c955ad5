// Copies a pointer byte by byte; the copy points to the same object.
#include <stdio.h>

int main(void) {
    double d = 2.5;
    double *from = &d, *to;
    unsigned char *s = (unsigned char *)&from, *t = (unsigned char *)&to;
    for (size_t i = 0; i < sizeof from; i++)
        t[i] = s[i];
    printf("%.1f\n", *to);
    return 0;
}
