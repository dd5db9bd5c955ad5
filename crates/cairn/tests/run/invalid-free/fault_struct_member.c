// Frees the address of a member in the middle of a heap struct.
#include <stdlib.h>

struct link { struct link *next; };
struct item { int id; struct link link; };

int main(void) {
    struct item *it = malloc(sizeof *it);
    if (!it) return 1;
    it->id = 1;
    it->link.next = NULL;
    struct link *l = &it->link;
    free(l); //~ invalid-free
    return 0;
}
