/* A doubly linked list with the interface of GLib's GList. Every function is safe. */
typedef unsigned long size_t;
typedef int (*compare_fn)(const void *, const void *);
typedef int (*compare_data_fn)(const void *, const void *, void *);
typedef void (*visit_fn)(void *, void *);
typedef void *(*copy_fn)(const void *, void *);
extern void *malloc(size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
#define NULL ((void *)0)

struct item {
    void *data;
    struct item *next;
    struct item *prev;
};

static struct item *item_alloc(void)
{
    struct item *node = malloc(sizeof(struct item));
    if (node == NULL)
        abort();
    return node;
}

struct item *list_last(struct item *list)
{
    if (list)
        while (list->next)
            list = list->next;
    return list;
}

struct item *list_first(struct item *list)
{
    if (list)
        while (list->prev)
            list = list->prev;
    return list;
}

void list_foreach(struct item *list, visit_fn visit, void *context)
{
    while (list) {
        struct item *next = list->next;
        visit(list->data, context);
        list = next;
    }
}

struct item *list_append(struct item *list, void *data)
{
    struct item *node = item_alloc();
    node->data = data;
    node->next = NULL;
    if (list) {
        struct item *last = list_last(list);
        last->next = node;
        node->prev = last;
        return list;
    }
    node->prev = NULL;
    return node;
}

struct item *list_prepend(struct item *list, void *data)
{
    struct item *node = item_alloc();
    node->data = data;
    node->next = list;
    if (list) {
        node->prev = list->prev;
        if (list->prev)
            list->prev->next = node;
        list->prev = node;
    } else {
        node->prev = NULL;
    }
    return node;
}

struct item *list_nth(struct item *list, unsigned n)
{
    while (n-- > 0 && list)
        list = list->next;
    return list;
}

struct item *list_nth_prev(struct item *list, unsigned n)
{
    while (n-- > 0 && list)
        list = list->prev;
    return list;
}

void *list_nth_data(struct item *list, unsigned n)
{
    struct item *at = list_nth(list, n);
    return at ? at->data : NULL;
}

struct item *list_insert(struct item *list, void *data, int position)
{
    struct item *node, *at;
    if (position < 0)
        return list_append(list, data);
    if (position == 0)
        return list_prepend(list, data);
    at = list_nth(list, position);
    if (!at)
        return list_append(list, data);
    node = item_alloc();
    node->data = data;
    node->prev = at->prev;
    at->prev->next = node;
    node->next = at;
    at->prev = node;
    return list;
}

struct item *list_insert_before(struct item *list, struct item *sibling, void *data)
{
    struct item *node;
    if (!list) {
        node = item_alloc();
        node->data = data;
        node->next = node->prev = NULL;
        return node;
    }
    if (!sibling)
        return list_append(list, data);
    node = item_alloc();
    node->data = data;
    node->prev = sibling->prev;
    node->next = sibling;
    sibling->prev = node;
    if (node->prev) {
        node->prev->next = node;
        return list;
    }
    return node;
}

struct item *list_concat(struct item *first, struct item *second)
{
    if (second) {
        struct item *last = list_last(first);
        if (last)
            last->next = second;
        else
            first = second;
        second->prev = last;
    }
    return first;
}

static struct item *unlink_item(struct item *list, struct item *node)
{
    if (!node)
        return list;
    if (node->prev)
        node->prev->next = node->next;
    if (node->next)
        node->next->prev = node->prev;
    if (node == list)
        list = list->next;
    node->next = NULL;
    node->prev = NULL;
    return list;
}

struct item *list_remove(struct item *list, const void *data)
{
    struct item *at = list;
    while (at) {
        if (at->data != data) {
            at = at->next;
        } else {
            list = unlink_item(list, at);
            free(at);
            break;
        }
    }
    return list;
}

struct item *list_remove_all(struct item *list, const void *data)
{
    struct item *at = list;
    while (at) {
        if (at->data != data) {
            at = at->next;
        } else {
            struct item *next = at->next;
            if (at->prev)
                at->prev->next = next;
            else
                list = next;
            if (next)
                next->prev = at->prev;
            free(at);
            at = next;
        }
    }
    return list;
}

struct item *list_remove_link(struct item *list, struct item *node)
{
    return unlink_item(list, node);
}

struct item *list_delete_link(struct item *list, struct item *node)
{
    list = unlink_item(list, node);
    free(node);
    return list;
}

struct item *list_copy_deep(struct item *list, copy_fn copy, void *context)
{
    struct item *head = NULL;
    if (list) {
        struct item *last;
        head = item_alloc();
        if (copy)
            head->data = copy(list->data, context);
        else
            head->data = list->data;
        head->prev = NULL;
        last = head;
        list = list->next;
        while (list) {
            last->next = item_alloc();
            last->next->prev = last;
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

struct item *list_copy(struct item *list)
{
    return list_copy_deep(list, NULL, NULL);
}

struct item *list_reverse(struct item *list)
{
    struct item *last = NULL;
    while (list) {
        last = list;
        list = last->next;
        last->next = last->prev;
        last->prev = list;
    }
    return last;
}

struct item *list_find(struct item *list, const void *data)
{
    while (list && list->data != data)
        list = list->next;
    return list;
}

struct item *list_find_custom(struct item *list, const void *data, compare_fn compare)
{
    while (list) {
        if (!compare(list->data, data))
            return list;
        list = list->next;
    }
    return NULL;
}

int list_position(struct item *list, struct item *node)
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

int list_index(struct item *list, const void *data)
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

unsigned list_length(struct item *list)
{
    unsigned length = 0;
    while (list) {
        length++;
        list = list->next;
    }
    return length;
}

static struct item *insert_sorted_real(struct item *list, void *data, compare_data_fn compare, void *context)
{
    struct item *at = list, *node;
    int order;
    if (!list) {
        node = item_alloc();
        node->data = data;
        node->next = NULL;
        node->prev = NULL;
        return node;
    }
    order = compare(data, at->data, context);
    while (at->next && order > 0) {
        at = at->next;
        order = compare(data, at->data, context);
    }
    node = item_alloc();
    node->data = data;
    node->prev = NULL;
    if (!at->next && order > 0) {
        at->next = node;
        node->prev = at;
        node->next = NULL;
        return list;
    }
    if (at->prev) {
        at->prev->next = node;
        node->prev = at->prev;
    }
    node->next = at;
    at->prev = node;
    return at == list ? node : list;
}

struct item *list_insert_sorted(struct item *list, void *data, compare_fn compare)
{
    return insert_sorted_real(list, data, (compare_data_fn)compare, NULL);
}

struct item *list_insert_sorted_with_data(struct item *list, void *data, compare_data_fn compare, void *context)
{
    return insert_sorted_real(list, data, compare, context);
}

static struct item *sort_merge(struct item *a, struct item *b, compare_data_fn compare, void *context)
{
    struct item anchor, *at = &anchor, *before = NULL;
    while (a && b) {
        if (compare(a->data, b->data, context) <= 0) {
            at->next = a;
            a = a->next;
        } else {
            at->next = b;
            b = b->next;
        }
        at = at->next;
        at->prev = before;
        before = at;
    }
    at->next = a ? a : b;
    at->next->prev = before;
    return anchor.next;
}

static struct item *sort_real(struct item *list, compare_data_fn compare, void *context)
{
    struct item *middle, *ahead;
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

struct item *list_sort(struct item *list, compare_fn compare)
{
    return sort_real(list, (compare_data_fn)compare, NULL);
}

struct item *list_sort_with_data(struct item *list, compare_data_fn compare, void *context)
{
    return sort_real(list, compare, context);
}

void list_free(struct item *list)
{
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
}

void list_free_full(struct item *list, void (*release)(void *))
{
    struct item *at;
    for (at = list; at; at = at->next)
        release(at->data);
    list_free(list);
}
