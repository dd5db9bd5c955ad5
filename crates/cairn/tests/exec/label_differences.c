// Distances between labels are kept in a table and added to a base again.
#include <stdio.h>

static int run(const unsigned char *code)
{
    void *base = &&add;
    long offsets[] = { &&add - &&add, &&twice - &&add, &&stop - &&add };
    int value = 0;
    goto *(base + offsets[*code++]);
add:
    value += 3;
    goto *(base + offsets[*code++]);
twice:
    value *= 2;
    goto *(base + offsets[*code++]);
stop:
    return value;
}

int main(void)
{
    static const unsigned char code[] = { 0, 1, 0, 1, 2 };
    printf("%d\n", run(code));
    return 0;
}
