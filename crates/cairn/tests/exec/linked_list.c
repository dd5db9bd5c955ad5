// Singly linked list: insert sorted, reverse, remove through pointer to pointer.
#include <stdio.h>
#include <stdlib.h>

struct node { int v; struct node *next; };

static struct node *cons(int v, struct node *next)
{
    struct node *n = malloc(sizeof *n);
    n->v = v;
    n->next = next;
    return n;
}

static void insert(struct node **pp, int v)
{
    while (*pp && (*pp)->v < v)
        pp = &(*pp)->next;
    *pp = cons(v, *pp);
}

static int remove_if(struct node **pp, int (*pred)(int))
{
    int n = 0;
    while (*pp) {
        if (pred((*pp)->v)) {
            struct node *dead = *pp;
            *pp = dead->next;
            free(dead);
            n++;
        } else {
            pp = &(*pp)->next;
        }
    }
    return n;
}

static struct node *reverse(struct node *l)
{
    struct node *r = NULL;
    while (l) {
        struct node *next = l->next;
        l->next = r;
        r = l;
        l = next;
    }
    return r;
}

static void print(const struct node *l)
{
    for (; l; l = l->next)
        printf("%d%s", l->v, l->next ? " -> " : "");
    putchar('\n');
}

static int even(int x) { return x % 2 == 0; }
static int all(int x) { return 1; }

int main(void)
{
    struct node *l = NULL;
    unsigned seed = 7;
    for (int i = 0; i < 12; i++) {
        seed = seed * 1103515245u + 12345u;
        insert(&l, seed >> 16 & 63);
    }
    print(l);
    l = reverse(l);
    print(l);
    printf("%d\n", remove_if(&l, even));
    print(l);
    insert(&l, -1);
    print(l);
    printf("%d\n", remove_if(&l, all));
    print(l);
    return l != NULL;
}
