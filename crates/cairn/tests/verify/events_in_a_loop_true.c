// Whatever events come in whatever order, there are few states: the search comes back to those it has met.
//= memsafety: TRUE
//= unreach: TRUE
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
#include <stdlib.h>
int main(void) {
    int open = 0, locked = 0;
    char *buffer = NULL;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            if (!open) {
                buffer = malloc(8);
                open = 1;
            }
            break;
        case 1:
            if (open && !locked) {
                buffer[__VERIFIER_nondet_int() & 7] = 1;
                locked = 1;
            }
            break;
        case 2:
            locked = 0;
            break;
        default:
            if (open && !locked) {
                free(buffer);
                buffer = NULL;
                open = 0;
            }
        }
        if (locked && !open) __VERIFIER_error();
    }
    free(buffer);
    return 0;
}
