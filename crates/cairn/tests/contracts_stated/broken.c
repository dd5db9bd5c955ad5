// Statements that the code does not keep.
#include <stdlib.h>

struct item {
    int key;
};

static struct item first;

// cairn: borrows item
void drop(struct item *item)
{
    free(item);
}

// cairn: takes item
int key_of(struct item *item)
{
    return item->key;
}

// cairn: returns new
struct item *first_item(void)
{
    return &first;
}

// cairn: allows null item
int key(struct item *item)
{
    return item->key;
}

// cairn: never returns
int answer(void)
{
    return 42;
}

// cairn: returns not null
struct item *made(int key)
{
    return key ? calloc(1, sizeof(struct item)) : NULL;
}
