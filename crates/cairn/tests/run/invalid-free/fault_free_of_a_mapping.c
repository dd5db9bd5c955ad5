// Frees what mmap returned.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    free(p); //~ invalid-free
    return 0;
}
