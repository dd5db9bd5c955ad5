// Jumping back within the same block does not end the life of its variables.
#include <stdio.h>

int main(void) {
    int *p = 0;
    int rounds = 0;
again:
    if (p) {
        printf("%d\n", *p);
        return 0;
    }
    int x = 11;
    p = &x;
    rounds++;
    if (rounds < 5)
        goto again;
    return 1;
}
