// An intrusive list as in Linux: a head of its own, links inside the nodes, and the node found from its link.
//= memsafety: TRUE
//@ dangling_prev = memsafety: FALSE(valid-deref)
//      An intrusive list in which a removed node stays the predecessor of the next one.
#include <stdlib.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
struct list_head { struct list_head *next, *prev; };
struct node { int value; struct list_head links; };
#define node_of(link) ((struct node *)((char *)(link) - offsetof(struct node, links)))
int main(void) {
    struct list_head head = { &head, &head };
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->value = 1;
        node->links.next = &head;
        node->links.prev = head.prev;
        head.prev->next = &node->links;
        head.prev = &node->links;
    }
    for (struct list_head *at = head.next; at != &head; at = at->next)
        node_of(at)->value = 2;
    while (head.next != &head) {
        struct list_head *at = head.next;
        at->next->prev = at->prev;
//@ dangling_prev:
        at->prev->next = at->next;
        free(node_of(at));
    }
    return 0;
}
