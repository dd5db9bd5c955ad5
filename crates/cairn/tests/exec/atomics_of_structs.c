// The generic atomic operations on structs, and structs that are atomic themselves.
#include <stdatomic.h>
#include <stdio.h>

struct pair {
    short first, second;
};

static _Atomic struct pair shared;

static void show(const char *what, struct pair pair)
{
    printf("%s %d %d\n", what, pair.first, pair.second);
}

static struct pair *count(struct pair *pair, int *calls)
{
    ++*calls;
    return pair;
}

int main(void)
{
    struct pair a = {1, 2}, b = {3, 4}, c = {0, 0}, expected = {5, 6}, other = {7, 8};
    int calls = 0;
    __atomic_store(&a, &b, __ATOMIC_SEQ_CST);
    __atomic_load(&a, &c, __ATOMIC_SEQ_CST);
    show("loaded", c);
    __atomic_exchange(count(&a, &calls), count(&expected, &calls), count(&c, &calls), __ATOMIC_SEQ_CST);
    show("exchanged", a);
    show("old", c);
    printf("%d calls\n", calls);
    __atomic_exchange(&a, &other, &other, __ATOMIC_SEQ_CST);
    show("in place", other);
    printf("%d\n", __atomic_compare_exchange(&a, &expected, &b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    show("expected", expected);
    printf("%d\n", __atomic_compare_exchange(&a, &expected, &b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    show("swapped", a);

    shared = b;
    c = shared;
    show("shared", c);
    atomic_store(&shared, other);
    show("stored", atomic_load(&shared));
    show("before", atomic_exchange(&shared, b));
    printf("%d\n", atomic_compare_exchange_strong(&shared, &b, other));
    show("after", atomic_load(&shared));

    double zero = 0.0, minus = -0.0, one = 1.0, old;
    printf("%d\n", __atomic_compare_exchange(&zero, &minus, &one, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    __atomic_exchange(&zero, &one, &old, __ATOMIC_SEQ_CST);
    printf("%g %g\n", zero, old);
    return 0;
}
