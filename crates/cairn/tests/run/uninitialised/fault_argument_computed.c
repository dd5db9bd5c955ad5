// The argument is computed from a member that is not set.
#include <stdlib.h>

struct range {
    long from, to;
};

static void set(struct range *range)
{
    range->from = 3;
}

static long length(long bytes, int unit)
{
    return unit;
}

int main(void)
{
    struct range range;
    set(&range);
    long result = length(range.to - range.from, 0); //~ uninitialised
    return result;
}
