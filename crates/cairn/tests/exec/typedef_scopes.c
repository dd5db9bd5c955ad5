// typedef names shadowed by variables, members, labels and inner typedefs.
#include <stdio.h>

typedef int T;
typedef T U, *PT, AT[3], FT(T);
typedef struct node { T v; struct node *next; } node;
typedef unsigned char byte;

static FT twice;
static T twice(T x) { return x * 2; }

static T shadow(T T)
{
    T = T + 1;
    return T * 2;
}

struct has { T T; U U; };

static int inner(void)
{
    typedef double T;
    T x = 2.5;
    {
        typedef char T[7];
        T y;
        return sizeof(T) * 100 + sizeof y + (int)(x * 2);
    }
}

int main(void)
{
    T a = 5;
    PT p = &a;
    AT arr = { 1, 2, 3 };
    FT *fn = twice;
    printf("%d %d %d %d\n", a, *p, arr[2], fn(21));
    printf("%d\n", shadow(4));
    struct has h = { .T = 3, .U = 4 };
    printf("%d %d\n", h.T, h.U);
    printf("%d\n", inner());
    {
        int U = 10;
        U++;
        printf("%d\n", U * 2);
    }
    U u = 7;
    {
        T T = 9;
        T++;
        printf("%d %zu\n", (T)+u, sizeof(T));
    }
    printf("%d\n", (T)+u);
    const PT cp = &a;
    *cp = 11;
    printf("%d\n", a);
    node n2 = { 2, 0 }, n1 = { 1, &n2 };
    printf("%d\n", n1.next->v);
    struct T { long a, b; } st = { 1, 2 };
    printf("%zu %zu %ld\n", sizeof(struct T), sizeof(T), st.b);
    unsigned typedef weird;
    weird w = -1;
    printf("%d\n", w > 0);
    goto T;
T:
    printf("%d\n", (byte)300);
    long unsigned int const static order = 5;
    printf("%lu\n", order);
    struct node node = { 3, &n1 };
    printf("%d\n", node.next->next->v);
    return 0;
}
