// Faults that depend on arguments are shown in callers that pass them; sizes and lengths are up to callers.
#include <stdlib.h>
#include <string.h>

static int last(const int *values, int count)
{
    const int *found = NULL;
    if (count > 0)
        found = &values[count - 1];
    return *found; //~ null-deref
}

int of_none(void)
{
    int values[1] = {1};
    return last(values, 0);
}

int of_one(void)
{
    int values[1] = {1};
    return last(values, 1);
}

int rotated(const char *key, int at)
{
    return key[at % strlen(key)];
}

int copied(const int *from, size_t count, size_t index)
{
    int *copy = malloc(count * sizeof *copy);
    if (!copy)
        return -1;
    memcpy(copy, from, count * sizeof *copy);
    int value = copy[index];
    free(copy);
    return value;
}

int never_set(int flag)
{
    int *p;
    if (flag)
        p = &flag;
    return *p; //~ uninitialised
}
