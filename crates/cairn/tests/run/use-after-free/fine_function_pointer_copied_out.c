// Takes the function pointer out of the object before freeing it.
#include <stdio.h>
#include <stdlib.h>

struct object { void (*describe)(int); int id; };

static void hello(int id) { printf("hello %d\n", id); }

int main(void) {
    struct object *o = calloc(1, sizeof *o);
    if (!o) return 1;
    o->describe = hello;
    o->id = 7;
    void (*f)(int) = o->describe;
    int id = o->id;
    free(o);
    f(id);
    return 0;
}
