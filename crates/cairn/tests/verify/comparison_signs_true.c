// Only the sign of a comparison of memory or strings is fixed.
//= memsafety: TRUE
//@ memory = memsafety: FALSE(valid-deref)
//@ strings = memsafety: UNKNOWN
//      The interpreter has the difference of the bytes, which is in bounds here.
//@ wide = memsafety: UNKNOWN
#include <string.h>
#include <wchar.h>
extern char __VERIFIER_nondet_char(void);
static int table[3];
int main(void) {
    char a[1] = {__VERIFIER_nondet_char()}, b[1] = {__VERIFIER_nondet_char()};
    int order = memcmp(a, b, 1);
    table[order < 0 ? 0 : order > 0 ? 2 : 1] = 1;
//@ memory: table[order + 1] = 1;
    order = strcmp("b", "a");
    table[(order > 0) + 1] = 1;
//@ strings: table[order + 1] = 1;
    order = wcscmp(L"b", L"a");
    table[(order > 0) + 1] = 1;
//@ wide: table[order + 1] = 1;
    return 0;
}
