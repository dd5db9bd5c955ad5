// Takes a function pointer out of a freed object to call it.
#include <stdio.h>
#include <stdlib.h>

struct object { void (*describe)(void); int id; };

static void hello(void) { puts("hello"); }

int main(void) {
    struct object *o = calloc(1, sizeof *o);
    if (!o) return 1;
    o->describe = hello;
    o->describe();
    free(o);
    o->describe(); //~ use-after-free
    return 0;
}
