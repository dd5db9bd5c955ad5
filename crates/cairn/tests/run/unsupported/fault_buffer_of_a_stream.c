// The stream writes into a buffer of the program's when it pleases.
#include <stdio.h>

static char buffer[BUFSIZ];

int main(void) {
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer); //~ unsupported
    puts("stone");
    return 0;
}
