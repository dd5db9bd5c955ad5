// Faults that the invariants of a struct exclude, and null pointers that the code follows whatever the other inputs are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    char **cells;
    size_t size;
    char *name;
};

void clear(struct table *table)
{
    char **end = table->cells ? table->cells + table->size : NULL;
    // A table without memory has no cells.
    for (size_t i = 0; i < table->size; i++)
        free(table->cells[i]);
    table->size = end ? 0 : table->size;
}

size_t first_of(struct table *table)
{
    if (!table->cells)
        puts("empty");
    return strlen(table->cells[0]); //~ null-deref
}

size_t name_of(struct table *table)
{
    if (table->size > 0 && !table->name)
        puts("no name");
    else
        return 0;
    return strlen(table->name); //~ null-deref
}

void *resized(void *old, size_t size)
{
    return old ? realloc(old, size ? size : 1) : malloc(size ? size : 1);
}

struct stack {
    int *start;
    int *end;
    int *top;
};

int push(struct stack *stack, int value)
{
    if (stack->top == stack->end) {
        size_t bytes = (char *)stack->end - (char *)stack->start;
        // A stack is never without memory.
        int *start = resized(stack->start, bytes * 2);
        if (!start)
            return -1;
        stack->top = start + (stack->top - stack->start);
        stack->end = start + bytes * 2 / sizeof(int);
        stack->start = start;
    }
    *stack->top++ = value;
    return 0;
}

int *too_small(void)
{
    int *p = resized(NULL, 2);
    if (p)
        *p = 1; //~ out-of-bounds
    return p;
}

static const char *const names[] = {"abs", "ln", "pi"};

int index_of(const char *name, int length)
{
    for (int i = 0; i < 3; i++)
        // The length of a word is not more than that of the name.
        if (strncmp(name, names[i], length) == 0 && names[i][length] == '\0')
            return i;
    return -1;
}

struct header {
    size_t length;
};

char *text_new(size_t length)
{
    struct header *header = malloc(sizeof *header + length);
    if (!header)
        return NULL;
    header->length = length;
    return (char *)(header + 1);
}

void text_free(char *text)
{
    if (text)
        free((struct header *)text - 1);
}

void member_free(struct table *table)
{
    free(&table->size); //~ invalid-free
}

int written(const char *path, const char *text)
{
    int status = 0;
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    if (fputs(text, file) == EOF)
        status = -1;
    // The file is closed, even if the last bytes cannot be written.
    if (fclose(file) == EOF)
        status = -1;
    return status;
}
