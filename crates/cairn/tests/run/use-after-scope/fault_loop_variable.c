// Uses the address of a for loop's own counter after the loop.
#include <stdio.h>

int main(void) {
    int *where = NULL;
    int table[4] = { 4, 8, 15, 16 };
    for (int i = 0; i < 4; i++)
        if (table[i] == 15)
            where = &i;
    if (where)
        printf("%d\n", *where); //~ use-after-scope
    return 0;
}
