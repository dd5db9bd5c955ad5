// The code for starting a thread is there, but the number of workers is zero.
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) { return arg; }

static int run(int workers) {
    int started = 0;
    for (int i = 0; i < workers; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, work, NULL) == 0) {
            pthread_join(t, NULL);
            started++;
        }
    }
    return started;
}

int main(void) {
    printf("%d\n", run(0));
    return 0;
}
