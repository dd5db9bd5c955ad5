/* stdlib.h: absolute values, division, sorting and searching, and aligned allocation. */

typedef __typeof__(sizeof 0) size_t;
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

int *__errno_location(void);
int __cairn_vary(int value);
void *__cairn_heap_alloc_aligned(size_t align, size_t size);
void *__cairn_heap_realloc(void *old, size_t size);
void __cairn_heap_free(void *old);
void *__cairn_stack_alloc(size_t size);
void __cairn_copy_bytes(void *to, const void *from, size_t size);
size_t __cairn_string_length(const char *text);
size_t __cairn_object_size(const void *data);
void __cairn_one_answer(void);

/* abs: no checks. */
int abs(int value)
{
    return value < 0 ? -value : value;
}

/* labs: no checks. */
long labs(long value)
{
    return value < 0 ? -value : value;
}

/* llabs: no checks. */
long long llabs(long long value)
{
    return value < 0 ? -value : value;
}

/* imaxabs: no checks. */
long long imaxabs(long long value)
{
    return value < 0 ? -value : value;
}

/* div: checks for division by zero. */
div_t div(int a, int b)
{
    div_t result = { a / b, a % b };
    return result;
}

/* ldiv: checks for division by zero. */
ldiv_t ldiv(long a, long b)
{
    ldiv_t result = { a / b, a % b };
    return result;
}

/* lldiv: checks for division by zero. */
lldiv_t lldiv(long long a, long long b)
{
    lldiv_t result = { a / b, a % b };
    return result;
}

/* imaxdiv: checks for division by zero. */
lldiv_t imaxdiv(long long a, long long b)
{
    lldiv_t result = { a / b, a % b };
    return result;
}

typedef int (*comparison)(const void *, const void *, void *);

/* A stable merge sort. As in glibc, all compared elements are in the user's array. */
static void merge_sort(char *base, size_t count, size_t size, comparison compare, void *context, char *space)
{
    if (count < 2)
        return;
    size_t left = count / 2;
    size_t right = count - left;
    char *a = base;
    char *b = base + left * size;
    merge_sort(a, left, size, compare, context, space);
    merge_sort(b, right, size, compare, context, space);
    char *to = space;
    while (left && right) {
        if (compare(a, b, context) <= 0) {
            __cairn_copy_bytes(to, a, size);
            a += size;
            left--;
        } else {
            __cairn_copy_bytes(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    if (left)
        __cairn_copy_bytes(to, a, left * size);
    __cairn_copy_bytes(base, space, (count - right) * size);
}

/* qsort_r: requires all elements in bounds and a valid `compare`, which is checked as user code. */
void qsort_r(void *base, size_t count, size_t size, comparison compare, void *context)
{
    size_t bytes;
    if (count < 2 || size == 0)
        return;
    /* No object is as large as a product that overflows. */
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = ~(size_t)0 >> 1;
    char *first = base;
    /* Access the first and the last byte before allocating the working space, so that a wrong count is detected. */
    (void)*(volatile char *)first;
    (void)*(volatile char *)(first + (bytes - 1));
    merge_sort(first, count, size, compare, context, __cairn_stack_alloc(bytes));
}

static int compare_plainly(const void *a, const void *b, void *context)
{
    int (*const *compare)(const void *, const void *) = context;
    return (*compare)(a, b);
}

/* qsort: like qsort_r. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    qsort_r(base, count, size, compare_plainly, &compare);
}

/* bsearch: requires a valid `compare`, which is checked as user code. */
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const void *at = (const char *)base + middle * size;
        int order = compare(key, at);
        if (order < 0)
            high = middle;
        else if (order > 0)
            low = middle + 1;
        else
            return (void *)at;
    }
    return 0;
}

/* lfind: like bsearch. */
void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *))
{
    const char *at = base;
    for (size_t i = 0; i < *count; i++, at += size)
        if (compare(key, at) == 0)
            return (void *)at;
    return 0;
}

/* posix_memalign: requires a writable `to`. Rejects invalid alignments. */
int posix_memalign(void **to, size_t align, size_t size)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return 22;
    void *memory = __cairn_heap_alloc_aligned(align, size);
    if (!memory)
        return 12;
    *to = memory;
    return 0;
}

/* aligned_alloc: no checks. An alignment that is no power of two is rejected or rounded up, as in some versions of glibc. */
void *aligned_alloc(size_t align, size_t size)
{
    if (align & (align - 1)) {
        if (!__cairn_vary(0))
            return 0;
        while (align & (align - 1))
            align += align & -align;
    }
    return __cairn_heap_alloc_aligned(align, size);
}

/* memalign: like aligned_alloc. */
void *memalign(size_t align, size_t size)
{
    return aligned_alloc(align, size);
}

/* valloc: no checks. */
void *valloc(size_t size)
{
    return __cairn_heap_alloc_aligned(4096, size);
}

/* reallocarray: like realloc. Fails if the product overflows. */
void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        *__errno_location() = 12;
        return 0;
    }
    return __cairn_heap_realloc(old, bytes);
}

/* cfree: like free. */
void cfree(void *old)
{
    __cairn_heap_free(old);
}

/* malloc_usable_size: requires a pointer to a live object, or null. The padding that glibc adds is not usable. */
size_t malloc_usable_size(void *data)
{
    __cairn_one_answer();
    size_t size = data ? __cairn_object_size(data) : 0;
    if (data && !size)
        (void)*(volatile char *)data;
    return size;
}
