// A global array grown by realloc is kept to the end.
#include <stdlib.h>

static long *values;
static int count;

static void add(long v) {
    if (count % 4 == 0) {
        values = realloc(values, (count + 4) * sizeof *values); //~ unfreed
        if (!values) exit(1);
    }
    values[count++] = v;
}

int main(void) {
    for (int i = 0; i < 10; i++)
        add(i);
    return 0;
}
