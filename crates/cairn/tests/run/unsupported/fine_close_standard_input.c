// A standard stream is closed once, and so is its descriptor.
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char byte;
    if (fclose(stdin) != 0 || read(0, &byte, 1) != -1)
        return 1;
    return fclose(stderr) != 0 || close(2) != -1;
}
