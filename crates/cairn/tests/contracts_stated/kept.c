// Statements in comments decide what functions of other files do; those about functions of this file hold.
#include <stdlib.h>

struct item {
    int key;
};

// cairn: returns new
struct item *item_from(int key);

// cairn: takes item
void registry(struct item *item, int where);

/* cairn: borrows item */
void show(struct item *item, int where);

// cairn: never returns
void stop_with(int status);

// cairn: returns new; allows null key
struct item *copy_of(const int *key)
{
    struct item *item = malloc(sizeof *item);
    if (item)
        item->key = key ? *key : 0;
    return item;
}

// cairn: takes item
void item_free(struct item *item)
{
    free(item);
}

void registered(int key)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return;
    item->key = key;
    registry(item, 1);
}

void shown(int key)
{
    struct item *item = malloc(sizeof *item); //~ leak
    if (!item)
        return;
    item->key = key;
    show(item, 1);
}

void made(int key)
{
    item_from(key); //~ leak
}

int stopped(struct item *item)
{
    int *key = NULL;
    if (item)
        key = &item->key;
    else
        stop_with(1);
    return *key;
}
