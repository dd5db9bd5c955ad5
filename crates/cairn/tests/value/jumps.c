/* `longjmp`: registers that were assigned in between, objects that moved on or were freed, and callers that hold older pointers. */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static int count;
static int *shared;

static void leap(int value)
{
    count += value;
    if (count > 2)
        longjmp(back, count);
}

static void replace(void)
{
    int *old = shared;
    shared = malloc(2 * sizeof(int));
    shared[0] = count;
    shared[1] = 7;
    free(old);
    leap(2);
}

static int attempt(void)
{
    int local = 1;
    int kept = 5;
    shared = malloc(sizeof(int));
    *shared = 3;
    int code = setjmp(back);
    if (code == 0) {
        local = 2;
        leap(1);
        local = 3;
        replace();
        return local;
    }
    if (code < 9) {
        leap(4);
        return shared[1] + kept;
    }
    return shared[0] + kept + code;
}

int main(void)
{
    int *mine = malloc(sizeof(int));
    *mine = 1;
    int result = attempt();
    int sum = result + *mine + count;
    free(mine);
    free(shared);
    return sum & 63;
}
