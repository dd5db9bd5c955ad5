// A struct is passed by value; the copy's release does not clear the caller's pointer.
#include <stdlib.h>
#include <string.h>

struct str { char *s; };

static void release(struct str v) {
    free(v.s); //~ double-free
    v.s = NULL;
}

int main(void) {
    struct str v = { strdup("basalt") };
    void (*f)(struct str) = release;
    f(v);
    f(v);
    return 0;
}
