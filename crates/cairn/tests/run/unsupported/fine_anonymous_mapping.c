// A mapping is zero, begins at a page and is nothing that has to be freed.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || (uintptr_t)p % 4096 != 0)
        return 1;
    for (int i = 0; i < 8192; i++)
        if (p[i] != 0)
            return 2;
    p[8191] = 1;
    if (munmap(p, 8192) != 0)
        return 3;
    char *kept = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kept[4095] = 2;
    return mmap(NULL, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}
