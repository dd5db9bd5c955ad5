// Stops at the null entry which ends the table, without following it.
#include <stdio.h>
#include <string.h>

static const char *names[] = { "zero", "one", "two", 0 };

int main(void) {
    size_t total = 0;
    for (const char **n = names; *n; n++)
        total += strlen(*n);
    printf("%zu\n", total);
    return 0;
}
