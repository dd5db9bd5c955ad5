// Frees an address made up from a number.
#include <stdlib.h>

int main(void) {
    void *handle = (void *)0x5550;
    void (*release)(void *) = free;
    if (handle)
        release(handle); //~ invalid-free
    return 0;
}
