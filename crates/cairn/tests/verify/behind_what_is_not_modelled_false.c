// Exploring does not know what a text with a floating number looks like; a run does.
//= memsafety: FALSE(valid-deref)
#include <stdio.h>
#include <string.h>
double __VERIFIER_nondet_double(void);
int main(void) {
    char text[40], small[2];
    sprintf(text, "%.2f", __VERIFIER_nondet_double());
    strcpy(small, text);
    return small[0];
}
