// What a partial initialiser leaves out is zero.
#include <stdio.h>

struct opts { int verbose; int depth; char *name; int list[4]; };

int main(void) {
    struct opts o = { .verbose = 1 };
    int a[8] = { [2] = 5 };
    char s[6] = "ab";
    if (o.depth == 0 && !o.name && o.list[3] == 0 && a[7] == 0 && s[5] == 0)
        printf("%d\n", a[2]);
    return 0;
}
