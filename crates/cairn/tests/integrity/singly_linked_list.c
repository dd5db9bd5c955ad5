/* A singly linked list with the interface of GLib's GSList. Every function is safe. */
typedef unsigned long size_t;
typedef int (*compare_fn)(const void *, const void *);
typedef int (*compare_data_fn)(const void *, const void *, void *);
typedef void (*visit_fn)(void *, void *);
typedef void *(*copy_fn)(const void *, void *);
extern void *malloc(size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
#define NULL ((void *)0)

struct cell {
    void *data;
    struct cell *next;
};

static struct cell *cell_alloc(void)
{
    struct cell *node = malloc(sizeof(struct cell));
    if (node == NULL)
        abort();
    return node;
}

struct cell *slist_last(struct cell *list)
{
    if (list)
        while (list->next)
            list = list->next;
    return list;
}

void slist_foreach(struct cell *list, visit_fn visit, void *context)
{
    while (list) {
        struct cell *next = list->next;
        visit(list->data, context);
        list = next;
    }
}

struct cell *slist_append(struct cell *list, void *data)
{
    struct cell *node = cell_alloc();
    node->data = data;
    node->next = NULL;
    if (!list)
        return node;
    slist_last(list)->next = node;
    return list;
}

struct cell *slist_prepend(struct cell *list, void *data)
{
    struct cell *node = cell_alloc();
    node->data = data;
    node->next = list;
    return node;
}

struct cell *slist_insert(struct cell *list, void *data, int position)
{
    struct cell *before = NULL, *at, *node;
    if (position < 0)
        return slist_append(list, data);
    if (position == 0)
        return slist_prepend(list, data);
    node = cell_alloc();
    node->data = data;
    if (!list) {
        node->next = NULL;
        return node;
    }
    at = list;
    while (position-- > 0 && at) {
        before = at;
        at = at->next;
    }
    node->next = before->next;
    before->next = node;
    return list;
}

struct cell *slist_insert_before(struct cell *list, struct cell *sibling, void *data)
{
    struct cell *before = NULL, *at = list, *node;
    if (!list) {
        node = cell_alloc();
        node->data = data;
        node->next = NULL;
        return node;
    }
    while (at) {
        if (at == sibling)
            break;
        before = at;
        at = at->next;
    }
    node = cell_alloc();
    node->data = data;
    if (!before) {
        node->next = list;
        return node;
    }
    node->next = before->next;
    before->next = node;
    return list;
}

struct cell *slist_concat(struct cell *first, struct cell *second)
{
    if (second) {
        if (first)
            slist_last(first)->next = second;
        else
            first = second;
    }
    return first;
}

struct cell *slist_remove(struct cell *list, const void *data)
{
    struct cell *at = list, *before = NULL;
    while (at) {
        if (at->data == data) {
            if (before)
                before->next = at->next;
            else
                list = at->next;
            free(at);
            break;
        }
        before = at;
        at = before->next;
    }
    return list;
}

struct cell *slist_remove_all(struct cell *list, const void *data)
{
    struct cell **link = &list;
    while (*link) {
        struct cell *at = *link;
        if (at->data == data) {
            *link = at->next;
            free(at);
        } else {
            link = &at->next;
        }
    }
    return list;
}

static struct cell *unlink_cell(struct cell *list, struct cell *node)
{
    struct cell *at = list, *before = NULL;
    while (at) {
        if (at == node) {
            if (before)
                before->next = at->next;
            if (list == at)
                list = list->next;
            at->next = NULL;
            break;
        }
        before = at;
        at = at->next;
    }
    return list;
}

struct cell *slist_remove_link(struct cell *list, struct cell *node)
{
    return unlink_cell(list, node);
}

struct cell *slist_delete_link(struct cell *list, struct cell *node)
{
    list = unlink_cell(list, node);
    free(node);
    return list;
}

struct cell *slist_copy_deep(struct cell *list, copy_fn copy, void *context)
{
    struct cell *head = NULL;
    if (list) {
        struct cell *last;
        head = cell_alloc();
        if (copy)
            head->data = copy(list->data, context);
        else
            head->data = list->data;
        last = head;
        list = list->next;
        while (list) {
            last->next = cell_alloc();
            last = last->next;
            if (copy)
                last->data = copy(list->data, context);
            else
                last->data = list->data;
            list = list->next;
        }
        last->next = NULL;
    }
    return head;
}

struct cell *slist_copy(struct cell *list)
{
    return slist_copy_deep(list, NULL, NULL);
}

struct cell *slist_reverse(struct cell *list)
{
    struct cell *before = NULL;
    while (list) {
        struct cell *next = list->next;
        list->next = before;
        before = list;
        list = next;
    }
    return before;
}

struct cell *slist_nth(struct cell *list, unsigned n)
{
    while (n-- > 0 && list)
        list = list->next;
    return list;
}

void *slist_nth_data(struct cell *list, unsigned n)
{
    while (n-- > 0 && list)
        list = list->next;
    return list ? list->data : NULL;
}

struct cell *slist_find(struct cell *list, const void *data)
{
    while (list) {
        if (list->data == data)
            break;
        list = list->next;
    }
    return list;
}

struct cell *slist_find_custom(struct cell *list, const void *data, compare_fn compare)
{
    while (list) {
        if (!compare(list->data, data))
            return list;
        list = list->next;
    }
    return NULL;
}

int slist_position(struct cell *list, struct cell *node)
{
    int i = 0;
    while (list) {
        if (list == node)
            return i;
        i++;
        list = list->next;
    }
    return -1;
}

int slist_index(struct cell *list, const void *data)
{
    int i = 0;
    while (list) {
        if (list->data == data)
            return i;
        i++;
        list = list->next;
    }
    return -1;
}

unsigned slist_length(struct cell *list)
{
    unsigned length = 0;
    while (list) {
        length++;
        list = list->next;
    }
    return length;
}

static struct cell *insert_sorted_real(struct cell *list, void *data, compare_data_fn compare, void *context)
{
    struct cell *at = list, *before = NULL, *node;
    int order;
    if (!list) {
        node = cell_alloc();
        node->data = data;
        node->next = NULL;
        return node;
    }
    order = compare(data, at->data, context);
    while (at->next && order > 0) {
        before = at;
        at = at->next;
        order = compare(data, at->data, context);
    }
    node = cell_alloc();
    node->data = data;
    if (!at->next && order > 0) {
        at->next = node;
        node->next = NULL;
        return list;
    }
    if (before) {
        before->next = node;
        node->next = at;
        return list;
    }
    node->next = list;
    return node;
}

struct cell *slist_insert_sorted(struct cell *list, void *data, compare_fn compare)
{
    return insert_sorted_real(list, data, (compare_data_fn)compare, NULL);
}

struct cell *slist_insert_sorted_with_data(struct cell *list, void *data, compare_data_fn compare, void *context)
{
    return insert_sorted_real(list, data, compare, context);
}

static struct cell *sort_merge(struct cell *a, struct cell *b, compare_data_fn compare, void *context)
{
    struct cell anchor, *at = &anchor;
    while (a && b) {
        if (compare(a->data, b->data, context) <= 0) {
            at = at->next = a;
            a = a->next;
        } else {
            at = at->next = b;
            b = b->next;
        }
    }
    at->next = a ? a : b;
    return anchor.next;
}

static struct cell *sort_real(struct cell *list, compare_data_fn compare, void *context)
{
    struct cell *middle, *ahead;
    if (!list)
        return NULL;
    if (!list->next)
        return list;
    middle = list;
    ahead = list->next;
    while ((ahead = ahead->next) != NULL) {
        if ((ahead = ahead->next) == NULL)
            break;
        middle = middle->next;
    }
    ahead = middle->next;
    middle->next = NULL;
    return sort_merge(sort_real(list, compare, context), sort_real(ahead, compare, context), compare, context);
}

struct cell *slist_sort(struct cell *list, compare_fn compare)
{
    return sort_real(list, (compare_data_fn)compare, NULL);
}

struct cell *slist_sort_with_data(struct cell *list, compare_data_fn compare, void *context)
{
    return sort_real(list, compare, context);
}

void slist_free(struct cell *list)
{
    while (list) {
        struct cell *next = list->next;
        free(list);
        list = next;
    }
}

void slist_free_full(struct cell *list, void (*release)(void *))
{
    struct cell *at;
    for (at = list; at; at = at->next)
        release(at->data);
    slist_free(list);
}
