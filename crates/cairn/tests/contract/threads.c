// Functions of the C library without a model: locks, threads and processes are functions of other files.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

int locked(void)
{
    pthread_mutex_lock(&lock);
    char *buffer = malloc(8); //~ leak
    counter++;
    pthread_mutex_unlock(&lock);
    return buffer != NULL;
}

int unlocked(void)
{
    pthread_mutex_lock(&lock);
    char *buffer = malloc(8);
    counter++;
    pthread_mutex_unlock(&lock);
    free(buffer);
    return 0;
}

// The thread gets the buffer.
int started(void *(*body)(void *))
{
    pthread_t thread;
    return pthread_create(&thread, NULL, body, malloc(8));
}

int forked(void)
{
    char *buffer = malloc(8); //~ leak
    if (fork() < 0)
        return -1;
    free(buffer);
    return 0;
}

void *loaded(const char *name)
{
    return dlopen(name, RTLD_NOW);
}
