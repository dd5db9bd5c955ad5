/* Functions that are only safe for what their callers pass: all of these are in this file. */
typedef unsigned long size_t;
extern void *malloc(size_t size);

struct item {
    long key;
    struct item *next;
    struct item *prev;
};

struct table {
    struct item *slot[8];
    int used;
};

/* The address of `anchor` would be left in a list if one of the two were empty. */
static struct item *merge(struct item *a, struct item *b)
{
    struct item anchor, *at = &anchor, *before = 0;
    while (a && b) {
        if (a->key <= b->key) {
            at->next = a;
            a = a->next;
        } else {
            at->next = b;
            b = b->next;
        }
        at = at->next;
        at->prev = before;
        before = at;
    }
    at->next = a ? a : b;
    at->next->prev = at;
    return anchor.next;
}

/* One variable goes twice as fast as the other, which is in the middle when the fast one is at the end. */
static struct item *sort(struct item *list)
{
    struct item *slow, *fast;
    if (!list)
        return 0;
    if (!list->next)
        return list;
    slow = list;
    fast = list->next;
    while ((fast = fast->next)) {
        if (!(fast = fast->next))
            break;
        slow = slow->next;
    }
    fast = slow->next;
    slow->next = 0;
    return merge(sort(list), sort(fast));
}

struct item *item_sort(struct item *list)
{
    return sort(list);
}

/* The index is checked by those who call. */
static void put(struct table *table, int at, struct item *item)
{
    if (!table->slot[at])
        table->used++;
    table->slot[at] = item;
}

static struct item *get(const struct table *table, int from, int count)
{
    int i;
    for (i = from; i < from + count; i++)
        if (table->slot[i])
            return table->slot[i];
    return 0;
}

int table_put(struct table *table, int at, struct item *item)
{
    if (at < 0 || at > 7)
        return -1;
    put(table, at, item);
    return 0;
}

void table_clear(struct table *table)
{
    int i;
    for (i = 0; i < 8; i++)
        put(table, i, 0);
    table->used = 0;
}

struct item *table_first(const struct table *table)
{
    return get(table, 0, 8);
}

/* A result that is never null, of a function that calls itself, and one that is null only for null. */
static struct item *end_of(struct item *item)
{
    return item->next ? end_of(item->next) : item;
}

static struct item *chosen(struct item *one, struct item *other)
{
    return one->key < other->key ? one : other;
}

struct item *item_merge_ends(struct item *a, struct item *b)
{
    if (!a || !b)
        return a ? a : b;
    return merge(end_of(a), chosen(b, b->next ? b->next : b));
}
