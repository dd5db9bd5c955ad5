// va_arg of structs, va_copy, and handing a va_list to other functions.
#include <stdio.h>
#include <stdarg.h>
#include <string.h>

struct tiny { char c; };
struct pt { int x, y; };
struct dd { double a, b; };
struct mix { long l; double d; };
struct big { int v[10]; };

static int dig(int n, va_list ap)
{
    int s = 0;
    while (n--)
        s = s * 10 + va_arg(ap, int);
    return s;
}

static int both(int n, ...)
{
    va_list ap, copy;
    va_start(ap, n);
    va_copy(copy, ap);
    int a = dig(n, ap);
    va_end(ap);
    int first = va_arg(copy, int);
    int b = dig(n - 1, copy);
    va_end(copy);
    return a * 1000 + first * 100 + b;
}

static void structs(const char *order, ...)
{
    va_list ap;
    va_start(ap, order);
    for (; *order; order++) {
        if (*order == 't') {
            printf("t%c ", va_arg(ap, struct tiny).c);
        } else if (*order == 'p') {
            struct pt p = va_arg(ap, struct pt);
            printf("p%d,%d ", p.x, p.y);
        } else if (*order == 'd') {
            struct dd d = va_arg(ap, struct dd);
            printf("d%g,%g ", d.a, d.b);
        } else if (*order == 'm') {
            struct mix m = va_arg(ap, struct mix);
            printf("m%ld,%g ", m.l, m.d);
        } else if (*order == 'b') {
            struct big b = va_arg(ap, struct big);
            printf("b%d,%d ", b.v[0], b.v[9]);
        } else {
            printf("i%d ", va_arg(ap, int));
        }
    }
    va_end(ap);
    putchar('\n');
}

static void log_to(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, size, fmt, ap);
    va_end(ap);
    printf("%d [%s]\n", n, buf);
}

int main(void)
{
    printf("%d\n", both(3, 4, 5, 6));
    struct big b = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } };
    structs("tpdmbi", (struct tiny){ 'x' }, (struct pt){ 1, -2 }, (struct dd){ 1.5, 2.5 },
            (struct mix){ 7, 8.5 }, b, 42);
    structs("ddddddi", (struct dd){ 1, 2 }, (struct dd){ 3, 4 }, (struct dd){ 5, 6 }, (struct dd){ 7, 8 },
            (struct dd){ 9, 10 }, (struct dd){ 11, 12 }, 13);
    structs("mpmpmpmpi", (struct mix){ 1, 1 }, (struct pt){ 2, 2 }, (struct mix){ 3, 3 }, (struct pt){ 4, 4 },
            (struct mix){ 5, 5 }, (struct pt){ 6, 6 }, (struct mix){ 7, 7 }, (struct pt){ 8, 8 }, 9);
    char buf[12];
    log_to(buf, sizeof buf, "%s=%d", "key", 12);
    log_to(buf, sizeof buf, "%05.1f|%-6s|%c", 3.14159, "long", '!');
    return 0;
}
