/* A queue of jobs. The one in the middle is cancelled, but its predecessor keeps the link to it. */
#include <stdio.h>
#include <stdlib.h>

struct job {
    int number;
    struct job *next;
};

static struct job *append(struct job *first, int number)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        exit(1);
    job->number = number;
    job->next = NULL;
    if (!first)
        return job;
    struct job *last = first;
    while (last->next)
        last = last->next;
    last->next = job;
    return first;
}

static void cancel(struct job *first, int number)
{
    for (struct job *job = first; job->next; job = job->next)
        if (job->next->number == number) {
            free(job->next);
            return;
        }
}

int main(void)
{
    struct job *queue = NULL;
    for (int number = 1; number <= 4; number++)
        queue = append(queue, number);
    cancel(queue, 3);
    for (struct job *job = queue; job; job = job->next)
        printf("job %d\n", job->number);
    return 0;
}
