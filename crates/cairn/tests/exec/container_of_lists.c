// Intrusive doubly linked lists with container_of and iteration macros.
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>

struct link { struct link *prev, *next; };

#define LINK_INIT(l) { &(l), &(l) }
#define container_of(p, type, member) \
    ((type *)((char *)(1 ? (p) : &((type *)0)->member) - offsetof(type, member)))
#define for_each(it, head) for (struct link *it = (head)->next; it != (head); it = it->next)
#define for_each_entry(e, head, member) \
    for (e = container_of((head)->next, __typeof__(*e), member); &e->member != (head); \
         e = container_of(e->member.next, __typeof__(*e), member))

struct task {
    int id, prio;
    struct link all;
    struct link ready;
};

static struct link all = LINK_INIT(all);
static struct link ready = LINK_INIT(ready);

static void insert_before(struct link *n, struct link *at)
{
    n->prev = at->prev;
    n->next = at;
    at->prev->next = n;
    at->prev = n;
}

static void unlink_node(struct link *n)
{
    n->prev->next = n->next;
    n->next->prev = n->prev;
    n->next = n->prev = n;
}

static void enqueue(struct task *t)
{
    struct link *at = ready.next;
    while (at != &ready && container_of(at, struct task, ready)->prio >= t->prio)
        at = at->next;
    insert_before(&t->ready, at);
}

int main(void)
{
    for (int i = 0; i < 8; i++) {
        struct task *t = malloc(sizeof *t);
        t->id = i;
        t->prio = i * 5 % 7;
        t->ready = (struct link)LINK_INIT(t->ready);
        insert_before(&t->all, &all);
        if (i != 4)
            enqueue(t);
    }
    struct task *t;
    for_each_entry(t, &all, all)
        printf("%d(%d) ", t->id, t->prio);
    putchar('\n');
    for_each_entry(t, &ready, ready)
        printf("%d(%d) ", t->id, t->prio);
    putchar('\n');
    int n = 0;
    for_each(it, &ready)
        n++;
    printf("%d\n", n);
    for (struct link *it = all.next, *next; it != &all; it = next) {
        next = it->next;
        t = container_of(it, struct task, all);
        unlink_node(&t->all);
        unlink_node(&t->ready);
        free(t);
    }
    printf("%d %d\n", all.next == &all, ready.prev == &ready);
    return 0;
}
