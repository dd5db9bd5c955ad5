// Builds, walks, reverses and frees singly linked lists; prints a checksum.
#include <stdio.h>
#include <stdlib.h>

struct node {
    unsigned value;
    struct node *next;
};

static struct node *build(int n, unsigned seed)
{
    struct node *head = NULL, **tail = &head;
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            exit(1);
        seed = seed * 1664525u + 1013904223u;
        node->value = seed >> 8;
        node->next = NULL;
        *tail = node;
        tail = &node->next;
    }
    return head;
}

static struct node *reverse(struct node *list)
{
    struct node *out = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static unsigned walk(const struct node *list)
{
    unsigned sum = 0;
    for (; list; list = list->next)
        sum = sum * 31 + list->value;
    return sum;
}

static void drop_odd(struct node **link)
{
    while (*link) {
        struct node *node = *link;
        if (node->value & 1) {
            *link = node->next;
            free(node);
        } else {
            link = &node->next;
        }
    }
}

static void release(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void)
{
    unsigned checksum = 0;
    for (unsigned round = 0; round < 420; round++) {
        struct node *list = build(10000, round);
        checksum ^= walk(list);
        list = reverse(list);
        checksum = checksum * 7 + walk(list);
        drop_odd(&list);
        list = reverse(list);
        checksum += walk(list);
        release(list);
    }
    printf("%u\n", checksum);
    return 0;
}
