// Goes from a member back to the start of its struct by subtracting the offset.
#include <stddef.h>
#include <stdio.h>

struct link { struct link *next; };
struct item { int id; char name[6]; struct link link; };

#define ITEM(l) ((struct item *)((char *)(l) - offsetof(struct item, link)))

int main(void) {
    struct item a = { 1, "first", { 0 } };
    struct item b = { 2, "last", { &a.link } };
    int sum = 0;
    for (struct link *l = &b.link; l; l = l->next)
        sum = sum * 10 + ITEM(l)->id;
    printf("%d\n", sum);
    return 0;
}
