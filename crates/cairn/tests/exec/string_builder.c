// A growing string buffer with formatted append, insert, replace and reverse.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>

struct sb { char *s; size_t len, cap; };

static void need(struct sb *b, size_t extra)
{
    if (b->len + extra + 1 <= b->cap)
        return;
    b->cap = (b->len + extra + 1) * 2;
    b->s = realloc(b->s, b->cap);
}

static void add(struct sb *b, const char *s)
{
    size_t n = strlen(s);
    need(b, n);
    memcpy(b->s + b->len, s, n + 1);
    b->len += n;
}

static void addf(struct sb *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    need(b, n);
    vsnprintf(b->s + b->len, n + 1, fmt, again);
    b->len += n;
    va_end(again);
    va_end(ap);
}

static void insert(struct sb *b, size_t at, const char *s)
{
    size_t n = strlen(s);
    need(b, n);
    memmove(b->s + at + n, b->s + at, b->len - at + 1);
    memcpy(b->s + at, s, n);
    b->len += n;
}

static int replace(struct sb *b, const char *from, const char *to)
{
    struct sb out = { 0 };
    int count = 0;
    const char *p = b->s, *hit;
    add(&out, "");
    while ((hit = strstr(p, from))) {
        addf(&out, "%.*s%s", (int)(hit - p), p, to);
        p = hit + strlen(from);
        count++;
    }
    add(&out, p);
    free(b->s);
    *b = out;
    return count;
}

int main(void)
{
    struct sb b = { 0 };
    for (int i = 0; i < 6; i++)
        addf(&b, "%s%d*%d=%02d", i ? ", " : "", i, i, i * i);
    puts(b.s);
    insert(&b, 0, "squares: ");
    insert(&b, b.len, ".");
    puts(b.s);
    printf("%d\n", replace(&b, ", ", " | "));
    puts(b.s);
    for (size_t i = 0, j = b.len - 1; i < j; i++, j--) {
        char t = b.s[i];
        b.s[i] = b.s[j], b.s[j] = t;
    }
    printf("%s %zu\n", b.s, b.len);
    free(b.s);
    return 0;
}
