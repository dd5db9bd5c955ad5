// The pointer starts as null, but a called function sets it before use.
#include <stdio.h>

static int pool[3] = { 7, 8, 9 };

static int pick(int i, int **out) {
    if (i < 0 || i > 2)
        return 0;
    *out = &pool[i];
    return 1;
}

int main(void) {
    int *p = 0;
    for (int i = -1; i < 4; i++)
        if (pick(i, &p))
            printf("%d\n", *p);
    return 0;
}
