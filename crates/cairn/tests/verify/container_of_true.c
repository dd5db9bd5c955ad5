// From an embedded link back to the object around it.
//= memsafety: TRUE
#include <stddef.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct link { struct link *next, *prev; };
struct item { int before; struct link link; int after; };
static struct link head = { &head, &head };
int main(void) {
    for (int i = 0; i < 2 && __VERIFIER_nondet_int(); i++) {
        struct item *item = malloc(sizeof *item);
        item->after = i;
        item->link.next = head.next;
        item->link.prev = &head;
        head.next->prev = &item->link;
        head.next = &item->link;
    }
    while (head.next != &head) {
        struct item *item = (struct item *)((char *)head.next - offsetof(struct item, link));
        item->link.next->prev = item->link.prev;
        item->link.prev->next = item->link.next;
        item->before = item->after;
        free(item);
    }
    return 0;
}
