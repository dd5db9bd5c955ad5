// Everything that is printed fits or is cut, and is what it says.
//= memsafety: TRUE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    char *text = malloc(12), small[4], name[8] = "a";
    int choice = __VERIFIER_nondet_int();
    name[0] = choice > 5 ? 'x' : 'y';
    int n = sprintf(text, "%s:%d%%,%x", name, -1234, 16);
    if (n != 11 || strcmp(text + 1, ":-1234%,10") != 0)
        text = 0;
    if (*text != 'x' && choice > 5)
        text = 0;
    if (snprintf(small, sizeof small, "%-5d|", 42) != 6 || strcmp(small, "42 ") != 0)
        text = 0;
    *text = 0;
    free(text);
    return 0;
}
