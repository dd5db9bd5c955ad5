/* Memory that others initialise: what is given to them is not valid before the call, and is behind it. */
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void free(void *memory);

struct link {
    struct link *next;
    struct link *prev;
};

struct task {
    int number;
    struct link ready;
    struct task *parent;
    struct task *child[4];
};

struct queue {
    struct link head;
    struct task *running;
};

void link_init(struct link *link)
{
    link->next = link->prev = link;
}

void link_add(struct link *link, struct link *to)
{
    link->next = to->next;
    link->prev = to;
    to->next->prev = link;
    to->next = link;
}

void task_init(struct task *task, int number, struct task *parent)
{
    int i;
    task->number = number;
    task->parent = parent;
    link_init(&task->ready);
    for (i = 0; i < 4; i++)
        task->child[i] = 0;
}

struct task *task_new(int number, struct task *parent)
{
    struct task *task = malloc(sizeof *task);
    if (!task)
        return 0;
    task_init(task, number, parent);
    return task;
}

/* One part after the other, by different functions. */
static void task_init_links(struct task *task)
{
    link_init(&task->ready);
    task->parent = 0;
}

static int task_init_children(struct task *task, struct task *first)
{
    task->child[0] = first;
    task->child[1] = task->child[2] = task->child[3] = 0;
    return first != 0;
}

struct task *task_with(struct task *first)
{
    struct task *task = malloc(sizeof *task);
    if (task) {
        task_init_links(task);
        task->number = task_init_children(task, first);
    }
    return task;
}

void queue_init(struct queue *queue)
{
    link_init(&queue->head);
    queue->running = 0;
}

struct queue *queue_new(struct task *first)
{
    struct queue *queue = malloc(sizeof *queue);
    if (!queue)
        return 0;
    queue_init(queue);
    if (first)
        link_add(&first->ready, &queue->head);
    return queue;
}

/* A local variable that is initialised the same way; what is in the queue is taken out again. */
int queue_use(struct task *task)
{
    struct queue local;
    queue_init(&local);
    local.running = task;
    return local.running ? local.running->number : -1;
}

struct task *task_pair(int number)
{
    struct task *first = task_new(number, 0);
    struct task *second = malloc(sizeof *second);
    if (!first || !second) {
        free(second);
        return first;
    }
    task_init(second, number + 1, first);
    first->child[0] = second;
    return first;
}
