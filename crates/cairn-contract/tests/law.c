typedef unsigned long size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void exit(int) __attribute__((noreturn));
size_t strlen(const char *);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

struct node {
    struct node *next;
    char *name;
    int value;
};

struct stack {
    struct node *top;
    size_t count;
};

struct pair {
    struct pair *next, *prev;
    int key;
};

struct tree {
    struct tree *left, *right;
    int key;
};

struct block {
    unsigned char *bytes;
    unsigned used;
};

char *duplicate(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

char *after_dash(char *s)
{
    char *dash = strchr(s, '-');
    return dash ? dash + 1 : 0;
}

int starts(const char *s, const char *prefix)
{
    while (*prefix)
        if (*s++ != *prefix++)
            return 0;
    return 1;
}

int sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total ^= values[i];
    return total;
}

int is_clear(const struct block *b)
{
    for (unsigned i = 0; i < b->used; i++)
        if (b->bytes[i])
            return 0;
    return 1;
}

void zero(unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = 0;
}

void release(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list->name);
        free(list);
        list = next;
    }
}

struct node *find(struct node *list, int value)
{
    for (; list; list = list->next)
        if (list->value == value)
            return list;
    return 0;
}

int push(struct stack *stack, struct node *item)
{
    if (!item)
        return -1;
    item->next = stack->top;
    stack->top = item;
    stack->count++;
    return 0;
}

struct node *pop(struct stack *stack)
{
    struct node *item = stack->top;
    if (item) {
        stack->top = item->next;
        stack->count--;
    }
    return item;
}

int push_new(struct stack *stack, int value)
{
    struct node *item = calloc(1, sizeof *item);
    if (!item)
        return -1;
    item->value = value;
    return push(stack, item);
}

void drop(struct stack *stack)
{
    struct node *item = pop(stack);
    if (item) {
        free(item->name);
        free(item);
    }
}

struct node *node_new(const char *name)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    node->name = duplicate(name);
    if (!node->name) {
        free(node);
        return 0;
    }
    node->next = 0;
    node->value = 0;
    return node;
}

void unlink_pair(struct pair *pair)
{
    if (pair->prev)
        pair->prev->next = pair->next;
    if (pair->next)
        pair->next->prev = pair->prev;
    free(pair);
}

int last_key(struct pair *pair)
{
    while (pair->next)
        pair = pair->next;
    return pair->key;
}

int contains(const struct tree *t, int key)
{
    if (!t)
        return 0;
    return t->key == key || contains(t->left, key) || contains(t->right, key);
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    tree_free(t->left);
    tree_free(t->right);
    free(t);
}

struct tree *leaf(int key)
{
    struct tree *t = calloc(1, sizeof *t);
    if (!t)
        exit(1);
    t->key = key;
    return t;
}

void fail(void)
{
    exit(3);
}

int checked(int value)
{
    if (value < 0)
        fail();
    return value > 9 ? 9 : value;
}

int swap(int *a, int *b)
{
    if (!a || !b)
        return -1;
    int t = *a;
    *a = *b;
    *b = t;
    return 0;
}

int *grown(int *old, unsigned n)
{
    if (n > 64)
        return 0;
    int *new = malloc((n + 1) * sizeof *new);
    if (!new)
        return 0;
    for (unsigned i = 0; i < n; i++)
        new[i] = old[i];
    new[n] = 0;
    free(old);
    return new;
}

struct node *kept;

void keep(struct node *node)
{
    kept = node;
}

int kept_value(void)
{
    return kept ? kept->value : -1;
}

/* The first branch knows that `p` is null, the second follows it without a test. */
int either(int mode, int *p)
{
    if (mode) {
        if (!p)
            return -1;
        return 0;
    }
    return *p;
}

/* The second node must exist. */
int second(struct node *list)
{
    return list->next->value;
}

/* Only some indices are inside. */
int picked(int i)
{
    int values[4] = {1, 2, 3, 4};
    return values[i];
}

/* Only some divisors are not zero. */
int quotient(int a, int b)
{
    return a / b;
}

int member(struct pair *pair)
{
    pair->key = 3;
    return pair->next ? pair->next->key : pair->key;
}
