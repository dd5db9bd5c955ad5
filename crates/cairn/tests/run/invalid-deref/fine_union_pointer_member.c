// The union holds a pointer and is read as a pointer; the number member is only read as a number.
#include <stdint.h>
#include <stdio.h>

union slot { uintptr_t number; long *pointer; };

int main(void) {
    long x = 1;
    union slot s[2];
    s[0].pointer = &x;
    s[1].number = 4660;
    *s[0].pointer += 1;
    printf("%ld %lu\n", x, (unsigned long)s[1].number);
    return 0;
}
