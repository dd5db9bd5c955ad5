// A counter of eight bits gets to 255 however long that takes.
//= unreach: FALSE(unreach-call)
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

int main(void) {
    unsigned char count = 0;
    while (__VERIFIER_nondet_bool())
        count++;
    if (count == 255)
        reach_error();
    return 0;
}
