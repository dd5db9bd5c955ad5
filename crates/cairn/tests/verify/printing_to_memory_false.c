// A sign makes the number one character longer than there is room for.
//= memsafety: FALSE(valid-deref)
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    char *text = malloc(10), name[8] = "a";
    int choice = __VERIFIER_nondet_int();
    name[0] = choice > 5 ? 'x' : 'y';
    sprintf(text, "%s=%05d%c", name, 123, choice);
    if (choice == 7)
        sprintf(text, "%s:%d%%,%x", name, -12345, 16);
    free(text);
    return 0;
}
