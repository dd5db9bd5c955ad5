// __label__ declarations, the cleanup attribute and its order of execution.
#include <stdio.h>
#include <stdlib.h>

#define FIND(arr, n, key) ({ \
        __label__ found; \
        int _i; \
        for (_i = 0; _i < (n); _i++) \
            if ((arr)[_i] == (key)) \
                goto found; \
        _i = -1; \
    found: \
        _i; \
    })

static void say(int *p) { printf("cleanup %d\n", *p); }
static void release(char **p) { printf("free %s\n", *p); free(*p); }

#define SCOPED __attribute__((cleanup(say)))

static int early(int n)
{
    SCOPED int a = n;
    if (n == 1)
        return a + 10;
    SCOPED int b = n * 2;
    if (n == 2)
        goto out;
    {
        SCOPED int c = n * 3;
        c++;
    }
    a = 99;
out:
    return b;
}

static char *dup2(char c)
{
    char *s = malloc(3);
    s[0] = s[1] = c;
    s[2] = 0;
    return s;
}

int main(void)
{
    int v[] = { 3, 1, 4, 1, 5 };
    printf("%d %d %d\n", FIND(v, 5, 4), FIND(v, 5, 9), FIND(v, 5, 1));
    for (int i = 1; i <= 3; i++)
        printf("-> %d\n", early(i));
    for (int i = 0; i < 4; i++) {
        SCOPED int x = i * 100;
        if (i == 1)
            continue;
        if (i == 2)
            break;
        printf("body %d\n", i);
    }
    {
        __attribute__((cleanup(release))) char *s = dup2('p');
        char *t __attribute__((cleanup(release))) = dup2('q');
        s[0] = 'P';
        printf("%s %s\n", s, t);
    }
    {
        __label__ top;
        int k = 0;
    top:
        if (++k < 3)
            goto top;
        printf("%d\n", k);
    }
    int r = ({ SCOPED int y = 5; y * 2; });
    printf("%d\n", r);
    return 0;
}
