// Struct copies with padding: members survive, compare by member, array stride.
#include <stdio.h>
#include <string.h>
#include <stddef.h>

struct pad { char a; int b; char c; double d; char e; };
struct tail { int x; char y; };
struct outer { struct tail t; char z; };

static int equal(const struct pad *p, const struct pad *q)
{
    return p->a == q->a && p->b == q->b && p->c == q->c && p->d == q->d && p->e == q->e;
}

static struct pad pass(struct pad p)
{
    p.b++;
    return p;
}

int main(void)
{
    struct pad p = { 'a', 1, 'c', 2.5, 'e' }, q;
    q = p;
    printf("%d\n", equal(&p, &q));
    memcpy(&q, &p, sizeof p);
    printf("%d\n", equal(&p, &q));
    q = pass(p);
    printf("%d %d\n", equal(&p, &q), q.b);
    struct pad arr[3];
    for (int i = 0; i < 3; i++) {
        arr[i] = p;
        arr[i].e += i;
    }
    printf("%c%c%c %td\n", arr[0].e, arr[1].e, arr[2].e, (char *)&arr[1] - (char *)&arr[0]);
    struct outer o = { { 1, 'y' }, 'z' };
    o.t = (struct tail){ 2, 'w' };
    printf("%d %c %c %zu\n", o.t.x, o.t.y, o.z, sizeof o);
    memset(&q, 0, sizeof q);
    q.a = 'a', q.b = 1, q.c = 'c', q.d = 2.5, q.e = 'e';
    struct pad z;
    memset(&z, 0, sizeof z);
    z.e = 'e', z.d = 2.5, z.c = 'c', z.b = 1, z.a = 'a';
    printf("%d\n", memcmp(&q, &z, sizeof q));
    unsigned char *raw = (unsigned char *)&q;
    int nonzero = 0;
    for (size_t i = 0; i < sizeof q; i++)
        nonzero += raw[i] != 0;
    printf("%d %zu\n", nonzero, sizeof q);
    static struct pad s;
    raw = (unsigned char *)&s;
    nonzero = 0;
    for (size_t i = 0; i < sizeof s; i++)
        nonzero += raw[i] != 0;
    printf("%d\n", nonzero);
    raw = (unsigned char *)&p + offsetof(struct pad, c);
    *raw = 'C';
    printf("%c %d\n", p.c, raw[0] == p.c);
    return 0;
}
