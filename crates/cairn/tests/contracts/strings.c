// Strings and buffers: the code shows how much memory a pointer needs.
#include <stdlib.h>
#include <string.h>

//= requires: `s` is a string
//= returns null or a new string that the caller must free
char *duplicate(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

//= requires: `values` points to at least `count` `const int`
//= returns any value
int sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

struct block {
    unsigned char *bytes;
    size_t used;
};

//= requires: `b` points to a `const struct block`
//= requires: `b->bytes` points to at least `b->used` bytes
//= returns 0 or 1
int is_clear(const struct block *b)
{
    for (size_t i = 0; i < b->used; i++)
        if (b->bytes[i])
            return 0;
    return 1;
}

//= requires: `s` is null or a string
//= returns 0 or 1
int is_empty(const char *s)
{
    return !s || !*s;
}

//= requires: `point` points to at least 3 `double`
void clear(double *point)
{
    point[0] = point[1] = point[2] = 0;
}
