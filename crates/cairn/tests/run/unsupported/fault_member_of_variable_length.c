// A struct with a member of variable length, which is not modelled.
#include <stdio.h>

static int last(int count)
{
    struct row {
        int head;
        char cells[count]; //~ unsupported
        int tail;
    } row;
    row.tail = count;
    return row.tail;
}

int main(void)
{
    printf("%d\n", last(3));
    return 0;
}
