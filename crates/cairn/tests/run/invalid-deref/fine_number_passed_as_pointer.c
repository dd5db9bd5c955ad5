// A callback argument carries a number in a pointer, which is never followed.
#include <stdint.h>
#include <stdio.h>

static int total;

static void visit(void *arg) { total += (int)(intptr_t)arg; }

static void each(void (*f)(void *), int n) {
    for (int i = 1; i <= n; i++)
        f((void *)(intptr_t)i);
}

int main(void) {
    each(visit, 4);
    printf("%d\n", total);
    return 0;
}
