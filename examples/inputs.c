/* A queue in an array that wraps around. Which operations come is not known: `--seed` and `--inputs` choose. */
#include <assert.h>
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);

static int queue[4];
static unsigned first, count;

static void push(int value)
{
    queue[(first + count) % 4] = value;
    count++;
}

static int pop(void)
{
    int value = queue[first];
    first = (first + 1) % 4;
    count--;
    return value;
}

int main(void)
{
    int pushed = 0, popped = 0;
    for (int step = 0; step < 20; step++) {
        if (__VERIFIER_nondet_int() > 0)
            push(pushed++);
        else if (count > 0)
            assert(pop() == popped++);
    }
    printf("%d in, %d out\n", pushed, popped);
    return 0;
}
