// The keys, the values and the order of all operations are constants, and the loop is too long to be followed path by path.
// TRUE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key[16];
    int value;
    struct entry *next;
};

static struct entry *buckets[64];

static unsigned hash(const char *key)
{
    unsigned sum = 5381;
    while (*key)
        sum = sum * 33 + (unsigned char)*key++;
    return sum % 64;
}

static struct entry *find(const char *key)
{
    struct entry *entry = buckets[hash(key)];
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

static void name(int number, char *key)
{
    int at = 0;
    do
        key[at++] = '0' + number % 10;
    while ((number /= 10) > 0);
    key[at] = 0;
}

int main(void)
{
    char key[16];
    for (int i = 0; i < 500; i++) {
        struct entry *entry = malloc(sizeof *entry);
        name(i, key);
        strcpy(entry->key, key);
        entry->value = i;
        entry->next = buckets[hash(key)];
        buckets[hash(key)] = entry;
    }
    for (int i = 0; i < 500; i++) {
        name(i, key);
        assert(find(key)->value == i);
    }
    for (int i = 0; i < 64; i++)
        while (buckets[i]) {
            struct entry *next = buckets[i]->next;
            free(buckets[i]);
            buckets[i] = next;
        }
    return 0;
}
