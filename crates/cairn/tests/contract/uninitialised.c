// Uninitialised values: reads that matter, and reads that do not.
#include <stdlib.h>

struct pair { int first, second; };

// The caller need not use the result.
int without_result(int a)
{
    if (a)
        return 1;
}

static int ends_without_result(int a)
{
    if (a)
        return 1;
}

// Compilers warn about such a function, and no sanitizer sees the use.
int uses_the_result(int a)
{
    int b = ends_without_result(a);
    return b > 0;
}

int returned(int a)
{
    int b;
    if (a)
        b = 1;
    return b; //~ uninitialised
}

// The address of a member is computed, and nothing is accessed.
int compared(void)
{
    struct pair *pair;
    int *one = &pair->second;
    int *other = &pair->second;
    return one != other ? 1 : 0;
}

int accessed(void)
{
    struct pair *pair;
    int *one = &pair->second; //~ uninitialised
    return *one;
}
