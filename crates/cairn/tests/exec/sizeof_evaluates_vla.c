// sizeof evaluates its operand when the operand's type has a variable length, and only then.
#include <stdio.h>

int main(void) {
    int n = 3, i = 0, calls = 0;
    int rows[4][n];
    int (*p)[n] = rows;
    unsigned long size = sizeof(*p++);
    printf("%lu %d\n", size, (int)(p - rows));
    size = sizeof(p[i++]);
    printf("%lu %d\n", size, i);
    size = sizeof((*p)[i++]);
    printf("%lu %d\n", size, i);
    size = sizeof(rows) + sizeof(rows[calls++][0]);
    printf("%lu %d\n", size, calls);
    return 0;
}
