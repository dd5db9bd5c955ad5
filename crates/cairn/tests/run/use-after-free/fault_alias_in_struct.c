// One struct frees the buffer while another still holds it.
#include <stdlib.h>
#include <string.h>

struct owner { char *buf; };
struct view { const char *at; size_t len; };

static void release(struct owner *o) {
    free(o->buf);
    o->buf = NULL;
}

int main(void) {
    struct owner o = { malloc(16) };
    if (!o.buf) return 1;
    strcpy(o.buf, "hello");
    struct view v = { o.buf + 1, 4 };
    release(&o);
    return v.at[0] == 'e' ? 0 : 1; //~ use-after-free
}
