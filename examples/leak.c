/* Words are kept in a table that grows. When a word is there already, its copy is forgotten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    char **words;
    size_t count, room;
};

static int contains(const struct table *table, const char *word)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->words[i], word) == 0)
            return 1;
    return 0;
}

static void insert(struct table *table, const char *word)
{
    char *copy = strdup(word);
    if (!copy || contains(table, copy))
        return;
    if (table->count == table->room) {
        table->room = table->room ? 2 * table->room : 2;
        table->words = realloc(table->words, table->room * sizeof *table->words);
        if (!table->words)
            exit(1);
    }
    table->words[table->count++] = copy;
}

int main(void)
{
    struct table table = { 0 };
    const char *text[] = { "stone", "on", "stone", "marks", "the", "path" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        insert(&table, text[i]);
    for (size_t i = 0; i < table.count; i++) {
        puts(table.words[i]);
        free(table.words[i]);
    }
    free(table.words);
    return 0;
}
