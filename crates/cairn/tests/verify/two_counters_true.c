// Of two counters one is always twice the other.
//= unreach: TRUE
//@ once_apart = unreach: FALSE(unreach-call)
//      Of two counters one is twice the other until the 333rd turn.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

int main(void) {
    int slow = 0, fast = 0;
    while (__VERIFIER_nondet_bool() && slow < 100000) {
        slow++;
        fast += 2;
//@ once_apart+ if (slow == 333)
//@ once_apart+ fast++;
    }
    if (fast != 2 * slow)
        reach_error();
    return 0;
}
