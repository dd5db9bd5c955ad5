// Flexible array members, zero-length arrays and the empty struct.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

struct buf { int len; char tag; short data[]; };
struct zero { int n; int items[0]; };
struct empty { };
struct holder { int a; struct empty e; int b; };
struct msg { unsigned char type; char text[]; };

static struct msg hello = { 7, "static text" };

static struct buf *make(int n)
{
    struct buf *b = malloc(sizeof *b + n * sizeof b->data[0]);
    b->len = n;
    b->tag = 't';
    for (int i = 0; i < n; i++)
        b->data[i] = i * i;
    return b;
}

static struct empty pass(struct empty e) { return e; }

int main(void)
{
    printf("%zu %zu\n", sizeof(struct buf), offsetof(struct buf, data));
    printf("%zu %zu\n", sizeof(struct zero), offsetof(struct zero, items));
    printf("%zu %zu\n", sizeof(struct empty), sizeof(struct holder));
    printf("%zu %d %s\n", sizeof hello, hello.type, hello.text);
    struct buf *b = make(6);
    int s = 0;
    for (int i = 0; i < b->len; i++)
        s += b->data[i];
    printf("%d %c\n", s, b->tag);
    b = realloc(b, sizeof *b + 12 * sizeof(short));
    for (int i = 6; i < 12; i++)
        b->data[i] = -i;
    printf("%d %d\n", b->data[5], b->data[11]);
    struct buf header = *b;
    printf("%d %c\n", header.len, header.tag);
    free(b);
    struct zero *z = malloc(sizeof *z + 3 * sizeof(int));
    z->n = 3;
    for (int i = 0; i < z->n; i++)
        z->items[i] = 10 + i;
    printf("%d %d\n", z->items[0], z->items[2]);
    free(z);
    struct empty e1, e2 = {};
    e1 = pass(e2);
    e2 = e1;
    struct holder h = { 1, {}, 2 };
    printf("%d %d\n", h.a, h.b);
    struct empty many[5];
    printf("%zu\n", sizeof many);
    return 0;
}
