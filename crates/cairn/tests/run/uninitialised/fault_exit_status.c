// The exit status of the program is uninitialised.
#include <stdio.h>

static int read_number(void) {
    int n;
    int *to = &n;
    if (to == 0)
        *to = 1;
    return n;
}

int main(void) {
    int status = read_number();
    return status; //~ uninitialised
}
