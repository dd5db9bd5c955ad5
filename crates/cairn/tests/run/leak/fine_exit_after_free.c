// exit is called deep in a function, after everything was freed.
#include <stdlib.h>
#include <string.h>

static void finish(char **all, int n) {
    for (int i = 0; i < n; i++)
        free(all[i]);
    exit(0);
}

int main(void) {
    char *all[3];
    for (int i = 0; i < 3; i++)
        all[i] = strdup("chert");
    finish(all, 3);
    return 1;
}
