/* Queues whose elements point back to the link that leads to them: a pointer to a pointer, which is a link to a single cell. */
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void free(void *memory);
#define NULL ((void *)0)

struct entry { int value; struct { struct entry *next; struct entry **back; } link; };
struct list { struct entry *first; };

void list_insert(struct list *list, struct entry *entry)
{
    if (!list || !entry)
        return;
    entry->link.next = list->first;
    if (list->first)
        list->first->link.back = &entry->link.next;
    list->first = entry;
    entry->link.back = &list->first;
}

void list_insert_after(struct entry *at, struct entry *entry)
{
    if (!at || !entry)
        return;
    entry->link.next = at->link.next;
    if (at->link.next)
        at->link.next->link.back = &entry->link.next;
    at->link.next = entry;
    entry->link.back = &at->link.next;
}

void list_insert_before(struct entry *at, struct entry *entry)
{
    if (!at || !entry)
        return;
    entry->link.back = at->link.back;
    entry->link.next = at;
    *at->link.back = entry;
    at->link.back = &entry->link.next;
}

void list_remove(struct entry *entry)
{
    if (!entry)
        return;
    if (entry->link.next)
        entry->link.next->link.back = entry->link.back;
    *entry->link.back = entry->link.next;
}

struct entry *list_add(struct list *list, int value)
{
    struct entry *entry = malloc(sizeof(struct entry));
    if (!entry)
        return NULL;
    entry->value = value;
    entry->link.next = NULL;
    entry->link.back = NULL;
    list_insert(list, entry);
    return entry;
}

struct job { struct job *next; struct job **back; int kind; };
struct queue { struct job *first; struct job **last; };

void queue_init(struct queue *queue)
{
    if (queue) {
        queue->first = NULL;
        queue->last = &queue->first;
    }
}

struct queue *queue_new(void)
{
    struct queue *queue = malloc(sizeof(struct queue));
    if (queue)
        queue_init(queue);
    return queue;
}

void queue_append(struct queue *queue, struct job *job)
{
    if (!queue || !job)
        return;
    job->next = NULL;
    job->back = queue->last;
    *queue->last = job;
    queue->last = &job->next;
}

void queue_remove(struct queue *queue, struct job *job)
{
    if (!queue || !job)
        return;
    if (job->next)
        job->next->back = job->back;
    else
        queue->last = job->back;
    *job->back = job->next;
}
