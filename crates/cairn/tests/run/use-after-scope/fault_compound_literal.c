// A compound literal lives only as long as its block.
#include <stdio.h>

struct point { int x, y; };

int main(void) {
    struct point *p;
    {
        p = &(struct point){ 3, 4 };
        printf("%d\n", p->x);
    }
    printf("%d\n", p->y); //~ use-after-scope
    return 0;
}
