// Chained hash table keyed by strings, with growth and word counting.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *key; int count; struct entry *next; };
struct table { struct entry **slots; unsigned size, used; };

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 ^ (unsigned char)*s++;
    return h;
}

static void grow(struct table *t)
{
    unsigned size = t->size ? t->size * 2 : 4;
    struct entry **slots = calloc(size, sizeof *slots);
    for (unsigned i = 0; i < t->size; i++)
        for (struct entry *e = t->slots[i], *next; e; e = next) {
            next = e->next;
            unsigned h = hash(e->key) % size;
            e->next = slots[h];
            slots[h] = e;
        }
    free(t->slots);
    t->slots = slots;
    t->size = size;
}

static struct entry *lookup(struct table *t, const char *key, int create)
{
    if (create && t->used >= t->size)
        grow(t);
    struct entry **p = &t->slots[hash(key) % t->size];
    for (; *p; p = &(*p)->next)
        if (!strcmp((*p)->key, key))
            return *p;
    if (!create)
        return NULL;
    *p = malloc(sizeof **p);
    **p = (struct entry){ strdup(key), 0, NULL };
    t->used++;
    return *p;
}

int main(void)
{
    char text[] = "the cat and the dog and the bird saw a cat on the mat by a dog under an oak";
    struct table t = { 0 };
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        lookup(&t, w, 1)->count++;
    const char *ask[] = { "the", "cat", "and", "dog", "oak", "fish" };
    for (int i = 0; i < 6; i++) {
        struct entry *e = lookup(&t, ask[i], 0);
        printf("%s=%d ", ask[i], e ? e->count : -1);
    }
    printf("\n%u %u\n", t.used, t.size);
    for (unsigned i = 0; i < t.size; i++) {
        for (struct entry *e = t.slots[i], *next; e; e = next) {
            next = e->next;
            printf("%u:%s ", i, e->key);
            free(e->key);
            free(e);
        }
    }
    putchar('\n');
    free(t.slots);
    return 0;
}
