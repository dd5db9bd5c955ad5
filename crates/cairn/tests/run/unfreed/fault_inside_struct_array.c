// One entry of a global array of structs keeps its string.
#include <stdlib.h>
#include <string.h>

struct entry { int id; char *name; };
static struct entry entries[3];

int main(void) {
    for (int i = 0; i < 3; i++) {
        entries[i].id = i;
        if (i == 1)
            entries[i].name = strdup("middle"); //~ unfreed
    }
    free(entries[0].name);
    free(entries[2].name);
    return 0;
}
