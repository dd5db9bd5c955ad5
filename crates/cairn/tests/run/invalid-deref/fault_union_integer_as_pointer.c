// Writes through a pointer whose bits were stored as an integer in a union.
#include <stdint.h>

union slot { uintptr_t number; long *pointer; };

static void bump(union slot *s) {
    *s->pointer += 1; //~ invalid-deref
}

int main(void) {
    long x = 1;
    union slot s[2];
    s[0].pointer = &x;
    s[1].number = 65520;
    for (int i = 0; i < 2; i++)
        bump(&s[i]);
    return 0;
}
