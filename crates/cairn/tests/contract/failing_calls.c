// Functions of other files that report a failure have not kept their arguments.
#include <stdlib.h>
#include <string.h>

struct table;
struct link { struct link *next, *previous; };
struct picture { int width, height; };
struct item { int key; struct picture picture; struct link link; };

_Bool table_set(struct table *table, int key, void *value);
int table_add(struct table *table, void *value);
int show(void *value);
void *wrap(char *text);
_Bool table_take(struct table *table, void *value);
int draw(struct picture *picture);
int insert(struct link *link);
int decode(void *node, void *buffer, int *size);

int not_set(struct table *table)
{
    struct item *item = malloc(sizeof *item); //~ leak
    if (!table_set(table, 1, item))
        return -1;
    return 0;
}

int set(struct table *table)
{
    struct item *item = malloc(sizeof *item);
    if (!table_set(table, 1, item)) {
        free(item);
        return -1;
    }
    return 0;
}

int not_added(struct table *table)
{
    char *text = strdup("a"); //~ leak
    if (table_add(table, text) < 0)
        return -1;
    return 0;
}

// A number other than a negative one says nothing.
int shown(struct table *table)
{
    char *text = strdup("a");
    if (show(text) == 0)
        return -1;
    return 0;
}

void *not_wrapped(void)
{
    char *text = strdup("a"); //~ leak
    void *wrapped = wrap(text);
    if (wrapped == NULL)
        return NULL;
    return wrapped;
}

// The code does not look whether the call has failed.
_Bool unchecked(struct table *table)
{
    return table_set(table, 1, strdup("a"));
}

// The name says that the value changes hands in any case.
int taken(struct table *table)
{
    if (!table_take(table, strdup("a")))
        return -1;
    return 0;
}

// A pointer to a member does not keep the object, unless the member is a link.
int drawn(void)
{
    struct item *item = malloc(sizeof *item); //~ leak
    if (draw(&item->picture))
        return -1;
    free(item);
    return 0;
}

int linked(void)
{
    struct item *item = malloc(sizeof *item);
    if (insert(&item->link))
        return -1;
    free(item);
    return 0;
}

// The buffer is followed by its length, which the function updates.
char *decoded(void *node)
{
    int size = 16;
    char *buffer = malloc(16); //~ leak
    if (decode(node, buffer, &size) != 0)
        return NULL;
    return buffer;
}
