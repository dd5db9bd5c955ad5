// Release takes a pointer to the pointer and clears it, so calling it twice is harmless.
#include <stdlib.h>
#include <string.h>

struct str { char *s; };

static void release(struct str *v) {
    free(v->s);
    v->s = NULL;
}

int main(void) {
    struct str v = { strdup("basalt") };
    release(&v);
    release(&v);
    return 0;
}
