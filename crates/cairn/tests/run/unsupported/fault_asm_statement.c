// Reaches an inline assembly statement.
#include <stdio.h>

static int steps;

int main(void) {
    steps++;
    puts("before");
    __asm__ volatile("nop"); //~ unsupported
    puts("after");
    return steps - 1;
}
