// Passes a number in place of a string to strlen.
#include <stdio.h>
#include <string.h>

static size_t measure(unsigned long what) {
    return strlen((const char *)what); //~ invalid-deref
}

int main(void) {
    char s[] = "ok";
    printf("%zu\n", measure((unsigned long)s));
    printf("%zu\n", measure(77777));
    return 0;
}
