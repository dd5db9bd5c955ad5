// A function taking an int is called through a pointer that passes a double.
#include <stdio.h>

static int half(int x) { return x / 2; }

typedef int (*on_double)(double);

struct entry { const char *name; on_double f; };

int main(void) {
    struct entry e = { "half", (on_double)half };
    int r = e.f(4.0); //~ invalid-call
    printf("%s %d\n", e.name, r > 0);
    return 0;
}
