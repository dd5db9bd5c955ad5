// setjmp/longjmp: nested frames, values, error handling, loops of retries.
#include <stdio.h>
#include <setjmp.h>

static jmp_buf env, inner_env;
static volatile int attempts;

static void fail(int code)
{
    printf("fail %d\n", code);
    longjmp(env, code);
}

static void work(int depth)
{
    if (depth == 0)
        fail(depth + 42);
    work(depth - 1);
    puts("not reached");
}

static int try_parse(const char *s)
{
    jmp_buf *local = &inner_env;
    volatile int n = 0;
    if (setjmp(*local))
        return -n;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            longjmp(inner_env, 1);
        n = n * 10 + (*s - '0');
    }
    return n;
}

int main(void)
{
    volatile int kept = 1;
    int r = setjmp(env);
    if (r == 0) {
        kept = 2;
        work(5);
    } else {
        printf("caught %d kept %d\n", r, kept);
    }
    switch (setjmp(env)) {
    case 0:
        attempts = 0;
        fail(1);
    case 1:
        attempts++;
        fail(2);
    case 2:
        attempts++;
        if (attempts < 5)
            fail(2);
        printf("attempts %d\n", attempts);
    }
    if (setjmp(env) == 0)
        longjmp(env, 0);
    else
        puts("zero became one");
    printf("%d %d %d\n", try_parse("123"), try_parse("45x6"), try_parse(""));
    volatile int loops = 0;
    if (!setjmp(env))
        puts("first");
    if (++loops < 4)
        longjmp(env, loops);
    printf("%d\n", loops);
    jmp_buf saved;
    if (_setjmp(saved) == 0)
        _longjmp(saved, 9);
    return 0;
}
