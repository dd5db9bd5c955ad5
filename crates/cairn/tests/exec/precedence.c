// Operator precedence and associativity exposed by values.
#include <stdio.h>

struct s { int v; struct s *n; int a[2]; };

int main(void)
{
    int a = 5, b = 3, c = 2;
    printf("%d %d %d\n", a - b - c, a / b * c, a % b * c);
    printf("%d %d\n", a + b << c, a << b - c);
    printf("%d %d %d\n", a & b == 3, (a & b) == 3, a ^ b & c | 8);
    printf("%d %d\n", a | b && c & 4, a > b == c > 1);
    printf("%d %d\n", !a == 0, -a % b);
    printf("%d %d\n", ~a + 1 == -a, - -a);
    printf("%d\n", a > 3 ? b > 5 ? 1 : 2 : 3);
    printf("%d\n", a < 3 ? 1 : b < 5 ? 2 : 3);
    int x, y, z;
    x = y = z = 7;
    printf("%d %d %d\n", x, y, z);
    x += y -= z *= 2;
    printf("%d %d %d\n", x, y, z);
    x = (y, z);
    printf("%d\n", x);
    x = 1, y = 2;
    printf("%d %d\n", x, y);
    struct s t = { 4, 0, { 10, 20 } }, u = { 5, &t, { 30, 40 } }, *p = &u;
    printf("%d %d %d\n", p->n->v, p->n->a[1], (*p).a[0]);
    printf("%d ", ++p->v);
    printf("%d ", p->v++);
    printf("%d\n", p->v);
    printf("%d %d\n", -p->v, *p->n->a);
    printf("%d\n", *&p->a[1]);
    int arr[] = { 1, 2, 3 }, *q = arr;
    printf("%d ", *q++);
    printf("%d ", ++*q);
    printf("%d ", *++q);
    printf("%d\n", -*q);
    printf("%zu %zu\n", sizeof(int) * 2, sizeof arr[0] + 1);
    printf("%d\n", (int)2.9 * 2);
    printf("%d\n", (char)300 + 1);
    printf("%d %d\n", 2 * 3 % 4, 2 + 3 * 4 - 6 / 2);
    printf("%d\n", a == 5 && b == 4 || c == 2);
    printf("%d\n", 1 ? 2 : 0, 5);
    printf("%d\n", a -b);
    return 0;
}
