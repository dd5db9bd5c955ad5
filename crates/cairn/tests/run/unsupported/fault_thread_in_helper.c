// A helper starts two threads in a loop.
#include <pthread.h>

static int cells[2];

static void *fill(void *p) {
    *(int *)p = 1;
    return p;
}

static int start(pthread_t *t, int i) {
    return pthread_create(t, 0, fill, &cells[i]); //~ unsupported
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        if (start(&t[i], i))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return cells[0] + cells[1] - 2;
}
