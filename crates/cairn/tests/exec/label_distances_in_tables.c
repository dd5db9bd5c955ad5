// Distances between labels in constant tables with static storage.
#include <stdio.h>

static int run(const unsigned char *code, int start)
{
    static const int table[] = {&&add - &&add, &&twice - &&add, &&less - &&add, [5] = &&stop - &&add};
    static const struct {
        char name;
        short distance;
    } named[] = {{'a', &&add - &&add}, {'t', (short)(&&twice - &&add)}};
    static int calls = 3;
    int value = start + calls++;
    goto *(&&add + table[*code++]);
add:
    value += 1;
    goto *(&&add + table[*code++]);
twice:
    value *= 2;
    goto *(&&add + table[*code++]);
less:
    value -= 3;
    goto *(&&add + named[*code++ & 1].distance);
stop:
    return value * 10 + named[1].name - 't';
}

int main(void)
{
    static const unsigned char first[] = {0, 0, 1, 1, 2, 1, 0, 5}, second[] = {5};
    printf("%d %d %d\n", run(first, 0), run(second, 7), run(first, 100));
    return 0;
}
