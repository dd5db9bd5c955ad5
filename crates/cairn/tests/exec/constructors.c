// Constructors run before main and destructors after the handlers of atexit, in the order of their priorities.
#include <stdio.h>
#include <stdlib.h>

static int value;

__attribute__((destructor)) static void last(void) { printf("last %d\n", value++); }
__attribute__((destructor)) static void last_but_one(void) { printf("last but one %d\n", value++); }
__attribute__((destructor(200))) static void very_last(void) { printf("very last %d\n", value); }
__attribute__((constructor)) static void third(void) { printf("third %d\n", value); value = 30; }
__attribute__((constructor(300))) static void second(void) { printf("second %d\n", value); value = 20; }
static void first(void) __attribute__((constructor(150)));
static void first(void) { puts("first"); value = 10; }

static void handler(void) { printf("handler %d\n", value++); }

int main(void)
{
    int round = 0;
again:
    printf("main %d\n", value);
    if (round++ == 0)
        goto again;
    atexit(handler);
    return 0;
}
