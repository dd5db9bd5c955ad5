// No buffer, or one that the library finds itself.
#include <stdio.h>

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    setbuf(stderr, NULL);
    puts("stone");
    return 0;
}
