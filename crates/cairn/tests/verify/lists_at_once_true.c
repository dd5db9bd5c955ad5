// Many lists at once: built one after the other, kept until the end, then freed one after the other.
//= memsafety: TRUE
//@ one_lost = memsafety: FALSE(valid-memtrack)
//      One of the lists is not freed.
//@ one_freed_early = memsafety: FALSE(valid-deref)
//      The first node of one of the lists is freed while it is still in the list.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };

int main(void) {
    struct node *first = 0, *second = 0, *third = 0, *fourth = 0, *fifth = 0, *sixth = 0, *seventh = 0, *eighth = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 0;
        node->next = first;
        first = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 1;
        node->next = second;
        second = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 2;
        node->next = third;
        third = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 3;
        node->next = fourth;
        fourth = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 4;
        node->next = fifth;
        fifth = node;
    }
//@ one_freed_early+ if (third) free(third);
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 5;
        node->next = sixth;
        sixth = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 6;
        node->next = seventh;
        seventh = node;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 7;
        node->next = eighth;
        eighth = node;
    }
    while (first) {
        struct node *next = first->next;
        free(first);
        first = next;
    }
    while (second) {
        struct node *next = second->next;
        free(second);
        second = next;
    }
//@ one_lost+ third = 0;
    while (third) {
        struct node *next = third->next;
        free(third);
        third = next;
    }
    while (fourth) {
        struct node *next = fourth->next;
        free(fourth);
        fourth = next;
    }
    while (fifth) {
        struct node *next = fifth->next;
        free(fifth);
        fifth = next;
    }
    while (sixth) {
        struct node *next = sixth->next;
        free(sixth);
        sixth = next;
    }
    while (seventh) {
        struct node *next = seventh->next;
        free(seventh);
        seventh = next;
    }
    while (eighth) {
        struct node *next = eighth->next;
        free(eighth);
        eighth = next;
    }
    return 0;
}
