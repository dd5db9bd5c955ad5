// Reads a page that was unmapped.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[0] = 1;
    munmap(p, 100);
    return p[0]; //~ use-after-free
}
