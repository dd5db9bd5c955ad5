// Objects with static storage start as zero.
#include <stdio.h>

static int counts[4];
static struct { char *p; double d; } state;

int main(void) {
    static long hidden;
    if (state.p == 0 && state.d == 0)
        printf("%d %ld\n", counts[3], hidden);
    return 0;
}
