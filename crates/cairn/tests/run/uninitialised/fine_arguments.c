// All scalars that are passed are set. A struct that is passed as a whole has a member that is not.
#include <stdlib.h>

struct pair {
    int first, second;
};

static int first(struct pair pair)
{
    return pair.first;
}

static void set(struct pair *pair, int value)
{
    pair->first = value;
}

int main(void)
{
    struct pair *pair = malloc(sizeof *pair);
    set(pair, 3);
    struct pair other;
    set(&other, pair->first);
    int difference = first(*pair) - first(other);
    free(pair);
    return difference;
}
