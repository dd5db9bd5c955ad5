// Prints a number that was never set.
#include <stdio.h>

struct rec { int id; double weight; };

int main(void) {
    struct rec r;
    r.id = 3;
    printf("%d\n", r.id);
    printf("%f\n", r.weight); //~ uninitialised
    return 0;
}
