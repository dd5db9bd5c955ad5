/* A list of numbers. */
#ifndef LIST_H
#define LIST_H

struct node {
    int value;
    struct node *next;
};

struct list {
    struct node *first;
};

/* Adds a value at the front. Returns 0, or -1 if there is no memory. */
int list_add(struct list *list, int value);

/* Removes every node with the value, and returns how many there were. */
int list_remove(struct list *list, int value);

/* Frees all nodes. */
void list_clear(struct list *list);

#endif
