// Frees a string literal used as a default name.
#include <stdlib.h>
#include <string.h>

struct file { char *name; };

static void set(struct file *f, const char *n) {
    f->name = n ? strdup(n) : "unnamed";
}

int main(void) {
    struct file f;
    set(&f, "a.txt");
    free(f.name);
    set(&f, NULL);
    free(f.name); //~ invalid-free
    return 0;
}
