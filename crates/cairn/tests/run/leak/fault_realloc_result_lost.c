// A growing array is lost although its struct is still there, because its pointer was cleared.
#include <stdlib.h>
#include <string.h>

struct vec { int *data; int n; };
static struct vec v;

static void push(int x) {
    v.data = realloc(v.data, (v.n + 1) * sizeof *v.data); //~ leak
    if (!v.data) exit(1);
    v.data[v.n++] = x;
}

int main(void) {
    for (int i = 0; i < 5; i++)
        push(i);
    memset(&v, 0, sizeof v);
    return 0;
}
