// Calls are left by a jump where there is no more memory.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      Calls are left by a jump, once before a node is a part of the list.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

#include <setjmp.h>
static jmp_buf top;
static struct node *list;
static void push(int data) {
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
//@ lost+ longjmp(top, 1);
//@ lost+ if (data == 3 && i == 1)
            longjmp(top, 1);
        node->next = list;
        node->data = data;
        list = node;
    }
}

int main(void) {
    if (!setjmp(top)) {
        push(1);
        push(2);
        push(3);
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
