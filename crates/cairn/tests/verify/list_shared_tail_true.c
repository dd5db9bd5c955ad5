// Two lists have one end.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      The shared end is freed with none.
//@ twice = memsafety: FALSE(valid-deref)
//      The shared end is freed with either list.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node { struct node *next; int value; };

static struct node *push(struct node *rest)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->next = rest;
    node->value = 0;
    return node;
}

int main(void)
{
    struct node *tail = NULL;
    while (__VERIFIER_nondet_int())
        tail = push(tail);
    struct node *one = tail, *two = tail;
    while (__VERIFIER_nondet_int())
        one = push(one);
    while (__VERIFIER_nondet_int())
        two = push(two);
    for (struct node *at = one; at; at = at->next)
        at->value++;
    for (struct node *at = two; at; at = at->next)
        at->value++;
    while (one != tail) {
//@ twice: while (one != NULL) {
        struct node *next = one->next;
        free(one);
        one = next;
    }
    while (two != tail) {
//@ twice: while (two != NULL) {
        struct node *next = two->next;
        free(two);
        two = next;
    }
    while (tail) {
//@ twice: while (0) {
//@ lost: tail = NULL;
        struct node *next = tail->next;
//@ lost:
        free(tail);
//@ lost:
        tail = next;
//@ lost:
    }
//@ lost:
    return 0;
}
