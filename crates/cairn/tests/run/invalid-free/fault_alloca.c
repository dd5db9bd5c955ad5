// Frees memory obtained by alloca.
#include <alloca.h>
#include <stdlib.h>

static void *get(void *stack, int heap) {
    return heap ? malloc(8) : stack;
}

int main(void) {
    void *s = alloca(8);
    for (int heap = 1; heap >= 0; heap--) {
        void *p = get(s, heap);
        free(p); //~ invalid-free
    }
    return 0;
}
