// Own random generator driving a queue simulation with fixed-point arithmetic.
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

struct rng { uint64_t state; };
struct event { uint32_t time; int kind; };
struct heap { struct event *v; int n, cap; };

static uint32_t next(struct rng *r)
{
    r->state = r->state * 6364136223846793005ULL + 1442695040888963407ULL;
    uint32_t x = (uint32_t)(((r->state >> 18) ^ r->state) >> 27);
    int rot = (int)(r->state >> 59);
    return x >> rot | x << (-rot & 31);
}

static void push(struct heap *h, struct event e)
{
    if (h->n == h->cap)
        h->v = realloc(h->v, (h->cap = h->cap * 2 + 1) * sizeof *h->v);
    int i = h->n++;
    for (; i && h->v[(i - 1) / 2].time > e.time; i = (i - 1) / 2)
        h->v[i] = h->v[(i - 1) / 2];
    h->v[i] = e;
}

static struct event pop(struct heap *h)
{
    struct event top = h->v[0], last = h->v[--h->n];
    int i = 0, k;
    while ((k = 2 * i + 1) < h->n) {
        if (k + 1 < h->n && h->v[k + 1].time < h->v[k].time)
            k++;
        if (h->v[k].time >= last.time)
            break;
        h->v[i] = h->v[k];
        i = k;
    }
    if (h->n)
        h->v[i] = last;
    return top;
}

int main(void)
{
    struct rng r = { 42 };
    struct heap h = { 0 };
    for (int i = 0; i < 5; i++)
        printf("%08x ", next(&r));
    putchar('\n');
    for (int i = 0; i < 40; i++)
        push(&h, (struct event){ next(&r) % 1000, i % 3 });
    uint32_t prev = 0;
    int counts[3] = { 0 }, ordered = 1;
    int64_t avg = 0;
    for (int i = 0; h.n; i++) {
        struct event e = pop(&h);
        ordered &= e.time >= prev;
        avg += ((int64_t)(e.time - prev) << 16) / 40;
        prev = e.time;
        counts[e.kind]++;
        if (i < 10 && e.kind == 1)
            push(&h, (struct event){ e.time + next(&r) % 50, 2 });
    }
    printf("%d %d %d %d\n", ordered, counts[0], counts[1], counts[2]);
    printf("%u %lld.%04lld\n", prev, avg >> 16, (avg & 0xffff) * 10000 >> 16);
    free(h.v);
    return 0;
}
