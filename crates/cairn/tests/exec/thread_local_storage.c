// _Thread_local and __thread variables behave like statics in one thread.
#include <stdio.h>
#include <stdalign.h>
#include <stdatomic.h>

static _Thread_local int tl = 5;
_Thread_local char name[8] = "thread";
static __thread struct { int a; double d; } rec = { 1, 2.5 };
extern _Thread_local int declared;

static int *addr(void) { return &tl; }

static int count(void)
{
    static _Thread_local int n = 100;
    return n++;
}

static alignas(32) int spaced[3];
static _Atomic int atom = 3;
static atomic_int other;

int main(void)
{
    tl++;
    *addr() += 10;
    printf("%d\n", tl);
    name[0] = 'T';
    printf("%s %d %g\n", name, rec.a, rec.d);
    rec.d *= 2;
    printf("%g %d\n", rec.d, declared);
    declared = 9;
    count();
    count();
    printf("%d %d\n", count(), declared);
    printf("%d\n", (int)((unsigned long)spaced % 32));
    printf("%zu\n", alignof(long));
    atom += 4;
    atom++;
    atomic_store(&other, 7);
    atomic_fetch_add(&other, 5);
    int expected = 12;
    int ok = atomic_compare_exchange_strong(&other, &expected, 50);
    printf("%d %d %d\n", atom, atomic_load(&other), ok);
    ok = atomic_compare_exchange_strong(&other, &expected, 60);
    printf("%d %d\n", ok, expected);
    int plain = 1;
    printf("%d ", __sync_fetch_and_add(&plain, 5));
    printf("%d ", __sync_add_and_fetch(&plain, 5));
    printf("%d ", __atomic_exchange_n(&plain, 2, __ATOMIC_SEQ_CST));
    printf("%d\n", __atomic_load_n(&plain, __ATOMIC_ACQUIRE));
    return 0;
}

_Thread_local int declared = 77;
