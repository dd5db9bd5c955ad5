/* Node types that are more than a few words: sizes, nested structs, unions, arrays of links, tags in links. Every function is
   safe. */
typedef unsigned long size_t;
typedef unsigned long uintptr_t;
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
extern void *memcpy(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
#define NULL ((void *)0)

/* A struct inside of another, and a pointer to it. */
struct hook { struct hook *next, *prev; };
struct task { char name[5]; short priority; struct hook hook; struct task *parent; };

void hook_insert(struct hook *list, struct hook *made)
{
    made->next = list->next;
    made->prev = list;
    list->next->prev = made;
    list->next = made;
}

struct hook *task_hook(struct task *task)
{
    return task ? &task->hook : NULL;
}

struct task *task_new(struct task *parent, short priority)
{
    struct task *task = malloc(sizeof(struct task));
    if (!task)
        return NULL;
    task->name[0] = 't';
    task->name[4] = 0;
    task->priority = priority;
    task->parent = parent;
    task->hook.next = task->hook.prev = &task->hook;
    if (parent)
        hook_insert(&parent->hook, &task->hook);
    return task;
}

/* An array of links, and indices that are variables. */
struct branch { int used; struct branch *child[4]; long key[3]; };

struct branch *branch_new(void)
{
    struct branch *branch = malloc(sizeof *branch);
    int i;
    if (!branch)
        abort();
    for (i = 0; i < 4; i++)
        branch->child[i] = NULL;
    for (i = 0; i < 3; i++)
        branch->key[i] = 0;
    branch->used = 0;
    return branch;
}

struct branch *branch_zeroed(void)
{
    struct branch *branch = calloc(1, sizeof *branch);
    if (!branch)
        abort();
    return branch;
}

struct branch *branch_cleared(void)
{
    struct branch *branch = malloc(sizeof *branch);
    if (!branch)
        abort();
    memset(branch, 0, sizeof *branch);
    return branch;
}

struct branch *branch_child(struct branch *branch, int index)
{
    if (index < 0 || index >= 4)
        return NULL;
    return branch->child[index];
}

void branch_set(struct branch *branch, int index, struct branch *child)
{
    if (index >= 0 && index < 4)
        branch->child[index] = child;
}

struct branch *branch_copy(struct branch *branch)
{
    struct branch *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    *copy = *branch;
    return copy;
}

struct branch *branch_copy_bytes(struct branch *branch)
{
    struct branch *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    memcpy(copy, branch, sizeof *copy);
    return copy;
}

int branch_count(struct branch *branch)
{
    int sum = 0, i;
    if (!branch)
        return 0;
    for (i = 0; i < 4; i++)
        if (branch->child[i])
            sum += branch_count(branch->child[i]);
    return sum + 1;
}

/* A union in which all members are links to one type, and one of data. */
struct either { int tag; union { struct either *left; struct either *right; } link; union { long integer; double real; } data; };

struct either *either_new(struct either *to, long value)
{
    struct either *either = malloc(sizeof *either);
    if (!either)
        return NULL;
    either->tag = 1;
    either->link.left = to;
    either->data.integer = value;
    return either;
}

struct either *either_follow(struct either *either)
{
    return either->tag ? either->link.left : either->link.right;
}

/* A tag in the lowest bit of an address that is on its way. */
struct vertex { struct vertex *to; long mark; };

uintptr_t vertex_tag(struct vertex *vertex)
{
    return (uintptr_t)vertex | 1;
}

long vertex_mark(struct vertex *vertex, int mark)
{
    uintptr_t tagged = mark ? (uintptr_t)vertex | 1 : (uintptr_t)vertex;
    if (tagged & 1) {
        struct vertex *plain = (struct vertex *)(tagged & ~(uintptr_t)1);
        return plain->mark;
    }
    return ((struct vertex *)tagged)->mark;
}

/* A struct result, a struct parameter, a global variable, a pointer to a pointer. */
struct pair { struct vertex *first, *second; };
struct vertex *roots[3];
struct vertex anchor;

struct pair pair_of(struct vertex *vertex)
{
    struct pair pair = { vertex, vertex ? vertex->to : NULL };
    return pair;
}

long pair_sum(struct pair pair)
{
    long sum = 0;
    if (pair.first)
        sum += pair.first->mark;
    if (pair.second)
        sum += pair.second->mark;
    return sum;
}

long vertex_sum(struct vertex *vertex)
{
    return pair_sum(pair_of(vertex));
}

void root_set(int index, struct vertex *vertex)
{
    if (index >= 0 && index < 3)
        roots[index] = vertex;
    anchor.to = vertex;
}

struct vertex *root_get(void)
{
    return roots[1] ? roots[1] : &anchor;
}

void vertex_push(struct vertex **list, struct vertex *vertex)
{
    vertex->to = *list;
    *list = vertex;
}

long vertex_count(struct vertex *list)
{
    struct vertex *local = NULL;
    long count = 0;
    while (list) {
        struct vertex *next = list->to;
        vertex_push(&local, list);
        list = next;
        count++;
    }
    return count;
}
