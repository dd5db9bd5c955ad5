/* A mark in a link that functions look at and take off. */
typedef unsigned long uintptr_t;

struct stop { struct stop *next; int kind; };

static struct stop *unmarked(struct stop *stop)
{
    return (struct stop *)((uintptr_t)stop & ~(uintptr_t)1);
}

static int is_marked(struct stop *stop)
{
    return (uintptr_t)stop & 1;
}

int stop_sum(struct stop *stop)
{
    int sum = 0;
    while (stop) {
        if (!is_marked(stop->next))
            sum += stop->kind;
        stop = unmarked(stop->next);
    }
    return sum;
}

void stop_mark(struct stop *stop)
{
    if (stop)
        stop->next = (struct stop *)((uintptr_t)stop->next | 1);
}
