// Memory that a function loses, and memory that somebody else owns.
#include <stdlib.h>
#include <string.h>

struct item {
    struct item *next;
    char *name;
    int value;
};

int keep(struct item *item);
int look(const struct item *item);

int lost_on_error(int value)
{
    char *buffer = malloc(10); //~ leak
    if (!buffer)
        return -1;
    if (value < 0)
        return -2;
    buffer[0] = 1;
    free(buffer);
    return 0;
}

int not_lost_on_error(int value)
{
    char *buffer = malloc(10);
    if (!buffer)
        return -1;
    if (value < 0) {
        free(buffer);
        return -2;
    }
    buffer[0] = 1;
    free(buffer);
    return 0;
}

void stored(struct item *item)
{
    item->name = malloc(3);
}

void overwritten(struct item *item)
{
    item->name = malloc(3); //~ leak
    item->name = NULL;
}

struct item *made(const char *name)
{
    // `caller_loses` loses this object.
    struct item *item = malloc(sizeof *item); //~ leak
    if (!item)
        return NULL;
    item->next = NULL;
    item->name = strdup(name);
    item->value = 0;
    return item;
}

int given_away(void)
{
    struct item *item = calloc(1, sizeof *item);
    return keep(item);
}

int only_looked_at(void)
{
    struct item *item = calloc(1, sizeof *item); //~ leak
    return look(item);
}

char *inner_is_lost(const char *name)
{
    struct item *item = made(name);
    if (!item)
        return NULL;
    char *copy = strdup(name);
    free(item->name);
    free(item);
    return copy;
}

int caller_loses(const char *name)
{
    struct item *item = made(name);
    if (!item)
        return 0;
    int value = item->value;
    free(item->name);
    return value;
}

void different_pointers(char *out, int flag)
{
    char *p = flag ? malloc(4) : out;
    if (p && p != out)
        free(p);
}

struct box {
    struct item *item;
    int is_full;
};

static int put(struct box *box, struct item *item)
{
    if (!box || box->is_full)
        return -1;
    box->item = item;
    return 0;
}

int lost_if_refused(struct box *box)
{
    return put(box, calloc(1, sizeof(struct item))); //~ leak
}

int freed_if_refused(struct box *box)
{
    struct item *item = calloc(1, sizeof *item);
    int status = put(box, item);
    if (status < 0)
        free(item);
    return status;
}
