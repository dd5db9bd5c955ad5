// Keeps a mark in the lowest bit of a pointer and masks it off before use.
#include <stdint.h>
#include <stdio.h>

struct node { uintptr_t next; long v; };

static struct node *untag(uintptr_t t) { return (struct node *)(t & ~(uintptr_t)1); }

int main(void) {
    struct node b = { 0, 2 };
    struct node a = { (uintptr_t)&b | 1, 1 };
    if (a.next & 1)
        printf("marked %ld\n", untag(a.next)->v);
    return 0;
}
