// A helper in the usual style calls reach_error and then aborts.
#include <stdlib.h>
extern void reach_error(void);

void __VERIFIER_assert(int cond) {
    if (!(cond)) {
    ERROR: { reach_error(); abort(); } //~ assertion
    }
    return;
}

int main(void) {
    int x = 0, y = 10;
    while (x < y) {
        x++;
        y--;
    }
    __VERIFIER_assert(x == y);
    __VERIFIER_assert(x + y == 11);
    return 0;
}
