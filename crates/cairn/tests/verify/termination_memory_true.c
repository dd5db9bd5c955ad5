// Counters in memory: in variables whose address is taken, and in objects that are allocated once.
//= termination: TRUE
//@ alias = termination: UNKNOWN
//@ unknown_index = termination: UNKNOWN
//@ written_by_call = termination: UNKNOWN
//@ other_member = termination: UNKNOWN
//@ exposed = termination: UNKNOWN
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct pair { int a, b; };
union both { int whole; short part; };
static int *known;

static void raise(int *p)
{
    *p = *p + 1;
}

int main(void)
{
    int *x = malloc(sizeof *x);
    int *y = malloc(4 * sizeof *y);
    int local = 10;
    struct pair pair = { 10, 0 };
    union both both = { 10 };
    if (!x || !y)
        return 0;
    *x = __VERIFIER_nondet_int();
    *y = 0;
    //@ alias: free(y); y = x;
    while (*x > 0) {
        *x = *x - 1;
        *y = *y + 1;
        //@ unknown_index: x[__VERIFIER_nondet_int()]++;
    }
    known = y;
    while (*y > 0) {
        *y = *y - 1;
        //@ exposed: { *y = *y - 1; *known = *known + 1; }
    }
    while (pair.a > 0) {
        pair.a--;
        pair.b++;
        //@ other_member: *(&pair.b - 1) += 1;
    }
    while (both.whole > 0)
        both.whole--;
    while (local > 0) {
        local--;
        //@ written_by_call: { local--; raise(&local); }
    }
    free(x);
    return 0;
}
