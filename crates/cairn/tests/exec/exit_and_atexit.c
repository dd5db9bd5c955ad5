// exit status truncation and atexit handlers run in reverse order.
#include <stdio.h>
#include <stdlib.h>

static int level;

static void first(void) { printf("first handler level %d\n", level); }
static void second(void) { printf("second handler level %d\n", level++); }
static void third(void)
{
    puts("third handler");
    level = 10;
}

static void deep(int n)
{
    if (n == 0) {
        puts("exiting");
        exit(256 + 77);
    }
    deep(n - 1);
    puts("not reached");
}

int main(void)
{
    int ok = atexit(first);
    ok |= atexit(second);
    ok |= atexit(second);
    ok |= atexit(third);
    printf("registered %d\n", ok);
    deep(5);
    puts("not reached");
    return 1;
}
