// Starts a thread.
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) {
    *(int *)arg = 7;
    return NULL;
}

int main(void) {
    pthread_t t;
    int result = 0;
    if (pthread_create(&t, NULL, work, &result)) //~ unsupported
        return 1;
    pthread_join(t, NULL);
    printf("%d\n", result);
    return 0;
}
