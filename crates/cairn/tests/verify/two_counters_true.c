// Of two counters one is always twice the other.
//= unreach: TRUE
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

int main(void) {
    int slow = 0, fast = 0;
    while (__VERIFIER_nondet_bool() && slow < 100000) {
        slow++;
        fast += 2;
    }
    if (fast != 2 * slow)
        reach_error();
    return 0;
}
