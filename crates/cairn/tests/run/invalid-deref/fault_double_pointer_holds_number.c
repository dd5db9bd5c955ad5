// The outer pointer is good, but what it points to is a number and no pointer.
#include <stdio.h>

int main(void) {
    unsigned long cells[2] = { 0, 0x7000 };
    char *name = "x";
    cells[0] = (unsigned long)name;
    for (int i = 0; i < 2; i++) {
        char *s = (char *)cells[i];
        char c = s[0]; //~ invalid-deref
        printf("%c\n", c);
    }
    return 0;
}
