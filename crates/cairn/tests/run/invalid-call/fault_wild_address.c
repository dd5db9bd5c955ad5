// Calls an address made from an integer.
#include <stdint.h>

typedef void (*action)(void);

static void nothing(void) {}

int main(void) {
    uintptr_t codes[2] = { (uintptr_t)nothing, 0x1000 };
    for (int i = 0; i < 2; i++) {
        action a = (action)codes[i];
        a(); //~ invalid-call
    }
    return 0;
}
