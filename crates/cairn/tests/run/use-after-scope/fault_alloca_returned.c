// Memory from alloca is gone once the function has returned.
#include <alloca.h>
#include <string.h>
#include <stdio.h>

static void make(char **out, int n) {
    char *s = alloca(n + 1);
    memset(s, 'x', n);
    s[n] = 0;
    *out = s;
}

int main(void) {
    char *s;
    make(&s, 9);
    if (s[3] == 'x') //~ use-after-scope
        puts("still there");
    return 0;
}
