// memcpy reads from an address computed out of plain numbers.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int dst[4] = { 0 };
    uintptr_t base = 0x4000;
    for (int i = 0; i < 3; i++)
        base += 0x10;
    memcpy(dst, (void *)base, sizeof dst); //~ invalid-deref
    printf("%d\n", dst[0]);
    return 0;
}
