// Writes behind the last page of a mapping.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 4097, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[8191] = 1;
    p[8192] = 1; //~ out-of-bounds
    return 0;
}
