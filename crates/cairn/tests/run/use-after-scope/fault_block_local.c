// A pointer to a variable of an inner block is used after that block.
#include <stdio.h>

int main(void) {
    const char *text = "none";
    if (text[0] == 'n') {
        char buf[8] = "inner";
        text = buf;
    }
    printf("%c\n", text[0]); //~ use-after-scope
    return 0;
}
