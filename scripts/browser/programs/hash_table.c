/* A hash table with chains. Growing it keeps a pointer into the old buckets. */
#include <stdlib.h>

struct entry {
    unsigned key;
    int value;
    struct entry *next;
};

struct table {
    struct entry **buckets;
    unsigned size, count;
};

static void grow(struct table *table)
{
    unsigned size = table->size * 2;
    struct entry **buckets = calloc(size, sizeof *buckets);
    if (!buckets)
        exit(1);
    for (unsigned i = 0; i < table->size; i++)
        while (table->buckets[i]) {
            struct entry *entry = table->buckets[i];
            table->buckets[i] = entry->next;
            entry->next = buckets[entry->key % size];
            buckets[entry->key % size] = entry;
        }
    free(table->buckets);
    table->buckets = buckets;
    table->size = size;
}

static void put(struct table *table, unsigned key, int value)
{
    struct entry **bucket = &table->buckets[key % table->size];
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        exit(1);
    if (table->count == table->size)
        grow(table);
    entry->key = key;
    entry->value = value;
    entry->next = *bucket;
    *bucket = entry;
    table->count++;
}

int main(void)
{
    struct table table = { .size = 2 };
    table.buckets = calloc(table.size, sizeof *table.buckets);
    if (!table.buckets)
        return 1;
    for (unsigned key = 0; key < 5; key++)
        put(&table, key * 3, (int)key);
    return 0;
}
