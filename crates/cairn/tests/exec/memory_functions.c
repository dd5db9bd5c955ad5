// memcpy, memmove with overlap, memset, memcmp, memchr and mempcpy.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

struct rec { int id; double w; char tag[4]; };

static void show(const char *s, int n)
{
    for (int i = 0; i < n; i++)
        putchar(s[i] ? s[i] : '.');
    putchar('\n');
}

int main(void)
{
    char buf[17] = "0123456789abcdef";
    memmove(buf + 4, buf, 8);
    show(buf, 16);
    memmove(buf, buf + 3, 10);
    show(buf, 16);
    memmove(buf + 1, buf, 15);
    show(buf, 16);
    memmove(buf, buf, 16);
    memcpy(buf + 8, "COPY", 4);
    show(buf, 16);
    memset(buf, 0, 3);
    memset(buf + 14, 0x141, 2);
    show(buf, 16);
    printf("%d %d\n", memcmp("abc", "abd", 2), memcmp("abc", "abd", 3) < 0);
    printf("%d %d\n", memcmp("\x80", "\x7f", 1) > 0, memcmp("a\0b", "a\0c", 3) < 0);
    char *p = memchr(buf, 'C', 16);
    printf("%td %d\n", p - buf, memchr(buf, '?', 16) == NULL);
    p = mempcpy(buf, "xy", 2);
    printf("%td\n", p - buf);
    p = memrchr("a.b.c", '.', 5);
    printf("%s\n", p);
    p = memmem("finding nemo", 12, "nem", 3);
    printf("%s\n", p);
    struct rec a = { 1, 2.5, "ab" }, b;
    memset(&b, 0, sizeof b);
    memcpy(&b, &a, sizeof a);
    b.id++;
    printf("%d %d %g %s\n", a.id, b.id, b.w, b.tag);
    int v[6] = { 1, 2, 3, 4, 5, 6 };
    memmove(&v[1], &v[0], 5 * sizeof v[0]);
    for (int i = 0; i < 6; i++)
        printf("%d ", v[i]);
    memset(v, 0xff, 2 * sizeof v[0]);
    printf("| %d %d %d\n", v[0], v[1], v[2]);
    memset(v, 1, sizeof v);
    printf("%x\n", v[3]);
    double d = 1.0;
    unsigned char raw[8];
    memcpy(raw, &d, 8);
    raw[7] ^= 0x80;
    memcpy(&d, raw, 8);
    printf("%g\n", d);
    return 0;
}
