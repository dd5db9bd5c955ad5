// The pointer refers to a variable of the enclosing block, which is still alive.
#include <stdio.h>

int main(void) {
    const char *text = "none";
    char buf[8] = "outer";
    if (text[0] == 'n') {
        char other[8] = "inner";
        text = buf;
        buf[1] = other[1];
    }
    printf("%s\n", text);
    return 0;
}
