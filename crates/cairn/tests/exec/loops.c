// Loop forms: for-scope declarations, do-while with continue, nested break.
#include <stdio.h>

int main(void)
{
    int i = 77;
    for (int i = 0, j = 9; i < j; i += 2, --j) {
        int i = j * 10;
        printf("%d ", i);
    }
    printf("| %d\n", i);
    int n = 0;
    do {
        n++;
        if (n == 3)
            continue;
        if (n > 5)
            break;
        printf("%d ", n);
    } while (n < 8);
    printf("| %d\n", n);
    do
        n--;
    while (n > 100);
    printf("%d\n", n);
    n = 0;
    do {
        if (n)
            continue;
        printf("once ");
    } while (++n < 3);
    printf("%d\n", n);
    for (;;) {
        if (++n > 10)
            break;
    }
    printf("%d\n", n);
    for (int r = 0; r < 4; r++) {
        for (int c = 0;; c++) {
            if (c > r)
                break;
            if (c == 1)
                continue;
            printf("%d%d ", r, c);
        }
        if (r == 2)
            break;
    }
    putchar('\n');
    while (n --> 7)
        switch (n) {
        case 9: continue;
        case 8: break;
        default: printf("n%d ", n);
        }
    printf("%d\n", n);
    unsigned count = 0;
    for (unsigned char c = 250; c >= 250; c++)
        count++;
    printf("%u\n", count);
    for (const char *p = "abc", *q = "xyz"; *p; p++, q++)
        printf("%c%c", *p, *q);
    putchar('\n');
    for (struct { int x; double y; } s = { 0, 1 }; s.x < 4; s.x++, s.y *= 1.5)
        printf("%g ", s.y);
    putchar('\n');
    for (double d = 0; d < 1; d += 0.25)
        printf("%.2f ", d);
    putchar('\n');
    return 0;
}
