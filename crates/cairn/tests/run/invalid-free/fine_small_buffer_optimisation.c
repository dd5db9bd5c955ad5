// Frees only when the data was moved out of the inline buffer.
#include <stdlib.h>
#include <string.h>

struct str { char *p; char inl[8]; };

static void set(struct str *s, const char *t) {
    s->p = strlen(t) < sizeof s->inl ? s->inl : malloc(strlen(t) + 1);
    if (!s->p) exit(1);
    strcpy(s->p, t);
}

static void drop(struct str *s) {
    if (s->p != s->inl)
        free(s->p);
}

int main(void) {
    struct str a, b;
    set(&a, "short");
    set(&b, "rather longer");
    drop(&a);
    drop(&b);
    return 0;
}
