// What is written to a closed descriptor is lost.
#include <unistd.h>

int main(void) {
    close(1); //~ unsupported
    return write(1, "x", 1) == 1;
}
