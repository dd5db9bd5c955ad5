// The signs of comparisons decide, through a variable, a function and the comparator of qsort.
// TRUE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void)
{
    const char *names[] = {"pear", "apple", "fig", "plum"};
    qsort(names, 4, sizeof *names, by_name);
    int order = strcmp(names[0], "apple");
    assert(!order);
    order = memcmp(names[3], "plum", 4);
    if (order < 0 || order > 0)
        names[4] = 0;
    assert(by_name(&names[1], &names[2]) < 0);
    return 0;
}
