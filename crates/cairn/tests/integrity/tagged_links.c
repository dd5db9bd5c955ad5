/* Links with a tag in their lowest bits, in members that are pointers and in members that are integers. Every function is safe. */
typedef unsigned long size_t;
typedef unsigned long uintptr_t;
extern void *malloc(size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
#define NULL ((void *)0)

/* A list whose nodes are marked as deleted in the link that leaves them. */
struct entry {
    long key;
    struct entry *next;
};

int entry_is_deleted(struct entry *entry)
{
    return ((uintptr_t)entry->next & 1) != 0;
}

struct entry *entry_next(struct entry *entry)
{
    return (struct entry *)((uintptr_t)entry->next & ~(uintptr_t)1);
}

void entry_delete(struct entry *entry)
{
    entry->next = (struct entry *)((uintptr_t)entry->next | 1);
}

struct entry *entry_new(long key, struct entry *next)
{
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        abort();
    entry->key = key;
    entry->next = next;
    return entry;
}

struct entry *entry_find(struct entry *entry, long key)
{
    while (entry) {
        if (!entry_is_deleted(entry) && entry->key == key)
            return entry;
        entry = entry_next(entry);
    }
    return NULL;
}

struct entry *entry_purge(struct entry *list)
{
    struct entry *kept = NULL;
    while (list) {
        uintptr_t link = (uintptr_t)list->next;
        struct entry *next = (struct entry *)(link & ~(uintptr_t)1);
        if (link & 1) {
            free(list);
        } else {
            list->next = kept;
            kept = list;
        }
        list = next;
    }
    return kept;
}

/* A tree whose links are integers: the lowest bit says that a link is a thread to the successor, the next one is a colour. */
struct knot {
    uintptr_t left;
    uintptr_t right;
    int value;
};

struct knot *knot_new(int value)
{
    struct knot *knot = malloc(sizeof *knot);
    if (!knot)
        abort();
    knot->left = 1;
    knot->right = 1;
    knot->value = value;
    return knot;
}

struct knot *knot_left(struct knot *knot)
{
    return knot->left & 1 ? NULL : (struct knot *)(knot->left & ~(uintptr_t)3);
}

struct knot *knot_successor(struct knot *knot)
{
    struct knot *to = (struct knot *)(knot->right & ~(uintptr_t)3);
    if (knot->right & 1)
        return to;
    while (to && !(to->left & 1))
        to = (struct knot *)(to->left & ~(uintptr_t)3);
    return to;
}

void knot_set_left(struct knot *knot, struct knot *child)
{
    knot->left = (uintptr_t)child | (knot->value & 1 ? 2 : 0);
}

void knot_set_thread(struct knot *knot, struct knot *to)
{
    knot->right = (uintptr_t)to | 1;
}

int knot_is_red(struct knot *knot)
{
    return (int)(knot->left & 2);
}

void knot_turn_colour(struct knot *knot)
{
    knot->left ^= 2;
}

int knot_right_value(struct knot *knot)
{
    return knot->right > 3 ? ((struct knot *)(knot->right & ~(uintptr_t)3))->value : 0;
}
