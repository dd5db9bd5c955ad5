// String building, word counting and comparison loops, with some libc calls;
// prints a checksum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1500, BUCKETS = 257 };

struct word {
    char *text;
    int count;
    struct word *next;
};

static struct word *buckets[BUCKETS];

static size_t length(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return (size_t)(p - s);
}

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static char *build(unsigned seed, size_t *out_len)
{
    size_t cap = 64, len = 0;
    char *text = malloc(cap);
    for (int w = 0; w < WORDS; w++) {
        seed = seed * 1664525u + 1013904223u;
        int letters = 2 + (int)(seed >> 28) % 5;
        unsigned pick = seed >> 8;
        if (len + (size_t)letters + 2 > cap) {
            cap *= 2;
            text = realloc(text, cap);
        }
        for (int i = 0; i < letters; i++) {
            text[len++] = (char)('a' + pick % 5);
            pick /= 5;
        }
        text[len++] = ' ';
    }
    text[len] = '\0';
    *out_len = len;
    return text;
}

static void count_word(const char *start, size_t len)
{
    char key[16];
    unsigned hash = 0;
    memcpy(key, start, len);
    key[len] = '\0';
    for (size_t i = 0; i < len; i++)
        hash = hash * 31 + (unsigned char)key[i];
    struct word **link = &buckets[hash % BUCKETS];
    while (*link && compare((*link)->text, key) != 0)
        link = &(*link)->next;
    if (!*link) {
        struct word *word = malloc(sizeof *word);
        word->text = malloc(len + 1);
        strcpy(word->text, key);
        word->count = 0;
        word->next = NULL;
        *link = word;
    }
    (*link)->count++;
}

static unsigned collect(void)
{
    unsigned sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
        for (struct word *w = buckets[i], *next; w; w = next) {
            next = w->next;
            sum = sum * 17 + (unsigned)w->count * (unsigned)length(w->text);
            if (next && strcmp(w->text, next->text) < 0)
                sum++;
            free(w->text);
            free(w);
        }
        buckets[i] = NULL;
    }
    return sum;
}

int main(void)
{
    unsigned checksum = 0;
    for (unsigned round = 0; round < 1000; round++) {
        size_t len;
        char *text = build(round + 1, &len);
        const char *p = text;
        while (*p) {
            while (*p == ' ')
                p++;
            const char *start = p;
            while (*p && *p != ' ')
                p++;
            if (p > start)
                count_word(start, (size_t)(p - start));
        }
        for (size_t i = 0, j = len - 1; i < j; i++, j--) {
            char t = text[i];
            text[i] = text[j];
            text[j] = t;
        }
        checksum = checksum * 3 + collect() + (unsigned)(strlen(text) + length(text));
        free(text);
    }
    printf("%u\n", checksum);
    return 0;
}
