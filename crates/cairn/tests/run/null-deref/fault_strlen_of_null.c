// Hands a null pointer to strlen.
#include <stdio.h>
#include <string.h>

static const char *names[] = { "zero", "one", 0, "three" };

int main(void) {
    size_t total = 0;
    for (int i = 0; i < 4; i++)
        total += strlen(names[i]); //~ null-deref
    printf("%zu\n", total);
    return 0;
}
