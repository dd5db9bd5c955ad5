/* A list of tasks. Done tasks are removed, and one of them is looked at once more. */
#include <stdio.h>
#include <stdlib.h>

struct task {
    int id;
    int done;
    struct task *next;
};

static struct task *add(struct task *list, int id)
{
    struct task *task = malloc(sizeof *task);
    if (!task)
        exit(1);
    task->id = id;
    task->done = id % 2;
    task->next = list;
    return task;
}

static struct task *remove_done(struct task *list)
{
    struct task **link = &list;
    for (struct task *task = list; task; task = task->next) {
        if (task->done) {
            *link = task->next;
            free(task);
        } else {
            link = &task->next;
        }
    }
    return list;
}

int main(void)
{
    struct task *list = NULL;
    for (int id = 1; id <= 4; id++)
        list = add(list, id);
    list = remove_done(list);
    while (list) {
        struct task *next = list->next;
        printf("task %d\n", list->id);
        free(list);
        list = next;
    }
    return 0;
}
