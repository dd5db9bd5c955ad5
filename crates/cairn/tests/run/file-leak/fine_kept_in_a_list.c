// A list keeps the streams until all of them are closed.
#include <stdio.h>
#include <stdlib.h>

struct entry {
    FILE *file;
    struct entry *next;
};

int main(void)
{
    struct entry *all = NULL;
    for (int i = 0; i < 3; i++) {
        struct entry *entry = malloc(sizeof *entry);
        entry->file = fopen("/dev/null", "r");
        entry->next = all;
        all = entry;
    }
    while (all) {
        struct entry *next = all->next;
        if (all->file)
            fclose(all->file);
        free(all);
        all = next;
    }
    return 0;
}
