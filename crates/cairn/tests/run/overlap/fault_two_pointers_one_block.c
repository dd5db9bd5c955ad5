// Two views into one heap block overlap although they have different names and types.
#include <stdlib.h>
#include <string.h>

struct view { void *at; size_t size; };

static void copy(struct view *to, const struct view *from) {
    memcpy(to->at, from->at, from->size); //~ overlap
}

int main(void) {
    char *block = calloc(8, 8);
    if (!block) return 1;
    struct view a = { block, 40 };
    struct view b = { block + 24, 40 };
    copy(&a, &b);
    free(block);
    return 0;
}
