// Maps standard input.
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, 0); //~ unsupported
    return p == MAP_FAILED;
}
