// alloca and __builtin_alloca: blocks live until the function returns.
#include <stdio.h>
#include <string.h>
#include <alloca.h>

struct cell { int v; struct cell *next; };

static int build(int n)
{
    struct cell *head = 0;
    for (int i = 1; i <= n; i++) {
        struct cell *c = alloca(sizeof *c);
        c->v = i;
        c->next = head;
        head = c;
    }
    int s = 0;
    for (; head; head = head->next)
        s = s * 3 + head->v;
    return s;
}

static int reversed_equal(const char *s)
{
    size_t n = strlen(s);
    char *r = __builtin_alloca(n + 1);
    for (size_t i = 0; i < n; i++)
        r[i] = s[n - 1 - i];
    r[n] = 0;
    printf("%s ", r);
    return strcmp(r, s) == 0;
}

static int nested(int depth)
{
    int *a = alloca((depth + 1) * sizeof(int));
    for (int i = 0; i <= depth; i++)
        a[i] = depth;
    int r = depth ? nested(depth - 1) : 0;
    for (int i = 0; i <= depth; i++)
        r += a[i];
    return r;
}

int main(void)
{
    printf("%d\n", build(8));
    printf("%d\n", reversed_equal("level"));
    printf("%d\n", reversed_equal("stack"));
    printf("%d\n", nested(10));
    char *p = alloca(16);
    {
        char *q = alloca(16);
        strcpy(q, "inner block");
        p = q;
    }
    puts(p);
    return 0;
}
