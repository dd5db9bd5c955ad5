// Copies the contents out before the block is freed, then uses the copy.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rec { int id; char name[12]; };

int main(void) {
    struct rec *r = malloc(sizeof *r);
    if (!r) return 1;
    r->id = 4;
    strcpy(r->name, "gneiss");
    struct rec copy = *r;
    free(r);
    printf("%d %s\n", copy.id, copy.name);
    return 0;
}
