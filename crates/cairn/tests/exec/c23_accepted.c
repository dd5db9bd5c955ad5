// C23 features gcc accepts in gnu11: attributes, labels, unnamed parameters.
#include <stdio.h>

[[gnu::unused]] static int old(int x) { return x + 1; }
[[deprecated("use old")]] static int older(int, int second) { return second; }

struct [[gnu::packed]] tight { char c; int i; };
enum flags { F_A [[deprecated]] = 0b0001, F_B = 0B0110 };

_Static_assert(sizeof(int) == 4);
_Static_assert(sizeof(struct tight) == 5);

#ifdef NOT_DEFINED
#define WHICH 1
#elifdef __GNUC__
#define WHICH 2
#else
#define WHICH 3
#endif

static int classify(int x)
{
    switch (x) {
    case 1:
        x += 10;
        [[fallthrough]];
    case 2:
        int declared = x * 2;
        return declared;
    default:
        goto end;
    end:
    }
    return -x;
}

static int scan(int n)
{
    for (int i = 0; i < n; i++) {
        if (i % 2)
            goto next;
        printf("%d ", i);
    next:
    }
    putchar('\n');
    return n;
}

int main(void)
{
    [[maybe_unused]] int unused = 3;
    int empty[3] = {};
    struct tight t = {}, u = { 'u', 70000 };
    printf("%d %d\n", old(4), older(1, 2));
    printf("%d %d %d\n", classify(1), classify(2), classify(7));
    scan(6);
    printf("%d %d %d %d\n", empty[2], t.i, u.i, u.c);
    printf("%d %d %d\n", WHICH, F_A, F_B);
lab:
    int after_label = 9;
    printf("%d %d\n", after_label, __has_attribute(packed) != 0);
    return 0;
}
