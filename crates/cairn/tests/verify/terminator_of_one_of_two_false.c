// The zero byte goes to one of two strings, and the other one has none.
//= memsafety: FALSE(valid-deref)
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char a[3] = {'x', 'y', 'z'}, b[3] = {'x', 'y', 'z'};
    char *chosen = __VERIFIER_nondet_int() ? a : b;
    chosen[2] = 0;
    return strlen(a) > 2;
}
