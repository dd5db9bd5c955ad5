// Who owns what after a call, also where it fails.
#include <stdio.h>
#include <stdlib.h>

struct item {
    char *text;
};

struct holder {
    struct item *item;
    const char *label;
};

//= returns null or a new `struct item` that the caller must free
struct item *item_new(void)
{
    return calloc(1, sizeof(struct item));
}

//= requires: `item` points to a `struct item`, which was allocated
//= requires: `item->text` is null or allocated memory
//= takes ownership of `item`: frees it
//= frees `item->text`
void item_free(struct item *item)
{
    free(item->text);
    free(item);
}

//= requires: `holder` points to a `struct holder`
//= keeps `label` in `holder->label`
void hold(struct holder *holder, const char *label)
{
    holder->label = label;
}

//= requires: `holder` points to a `struct holder`
//= stores new memory in `holder->item`
//= returns 0 or -1
int fill(struct holder *holder)
{
    struct item *item = item_new();
    if (!item)
        return -1;
    holder->item = item;
    return 0;
}

//= may leak the memory that is allocated at line 53
//= returns 0
int lose(void)
{
    char *p = malloc(10);
    (void)p;
    return 0;
}

//= requires: `message` is a string
//= never returns: it ends in `exit`
void die(const char *message)
{
    fputs(message, stderr);
    exit(1);
}

//= requires: `f` points to a function
//= returns any value
int apply(int (*f)(int), int x)
{
    return f(x);
}

//= requires: `out` points to an `int`
//= returns 0 or -1
int parse(int value, int *out)
{
    if (value < 0)
        return -1;
    *out = value;
    return 0;
}
