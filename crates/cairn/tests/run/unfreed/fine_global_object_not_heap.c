// The global pointer refers to a static object, which needs no free.
#include <stdio.h>

struct config { int level; char name[8]; };
static struct config builtin = { 2, "basic" };
static struct config *active;

int main(void) {
    active = &builtin;
    active->level++;
    printf("%d %s\n", active->level, active->name);
    return 0;
}
