// A handler registered with atexit frees the global after main returned.
#include <stdlib.h>

static int *table;

static void cleanup(void) { free(table); }

int main(void) {
    if (atexit(cleanup)) return 1;
    table = calloc(16, sizeof *table);
    return table == NULL;
}
