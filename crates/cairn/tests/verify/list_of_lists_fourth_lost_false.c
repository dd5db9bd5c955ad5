// Only the fourth of the outer nodes loses what it owns.
//= memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);

struct node {
    struct node *next;
    int data;
};

struct outer {
    struct outer *next;
    struct node *items;
};

int main(void) {
    struct outer *head = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct outer *outer = malloc(sizeof *outer);
        outer->next = head;
        outer->items = NULL;
        head = outer;
        while (__VERIFIER_nondet_bool()) {
            struct node *item = malloc(sizeof *item);
            item->next = outer->items;
            outer->items = item;
        }
    }
    int index = 0;
    while (head) {
        struct outer *next = head->next;
        struct node *item = head->items;
        while (item) {
            struct node *after = item->next;
            free(item);
            item = after;
            if (index == 3)
                break;
        }
        free(head);
        head = next;
        index++;
    }
    return 0;
}
