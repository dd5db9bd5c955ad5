/* string.h and strings.h. malloc, memcpy, memmove, memset, memcmp and strlen are intrinsics of the IR. */

typedef __typeof__(sizeof 0) size_t;

void *__cairn_heap_alloc(size_t size);
void __cairn_copy_bytes(void *to, const void *from, size_t size);
void __cairn_move_bytes(void *to, const void *from, size_t size);
void __cairn_fill_bytes(void *to, int byte, size_t size);
size_t __cairn_string_length(const char *text);
int __cairn_compare_bytes(const void *a, const void *b, size_t size);
int __cairn_order(int difference);

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Returns the length of `text`, but at most `limit`; reads no byte past the end that it finds. */
static size_t bounded_length(const char *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n;
}

static int is_one_of(char c, const char *set)
{
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

/* strnlen: requires the read bytes, at most `limit`, in bounds. */
size_t strnlen(const char *text, size_t limit)
{
    return bounded_length(text, limit);
}

/* strcpy: requires both strings in bounds, a terminated source and no overlap. */
char *strcpy(char *to, const char *from)
{
    __cairn_copy_bytes(to, from, __cairn_string_length(from) + 1);
    return to;
}

/* stpcpy: requires both strings in bounds, a terminated source and no overlap. */
char *stpcpy(char *to, const char *from)
{
    size_t n = __cairn_string_length(from);
    __cairn_copy_bytes(to, from, n + 1);
    return to + n;
}

/* Where a function reads the terminator of its source, it copies the terminator as well, so that an overlap with it counts. */

/* strncpy: requires `size` bytes of the target and at most `size` of the source in bounds, and no overlap. */
char *strncpy(char *to, const char *from, size_t size)
{
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to, from, n + (n < size));
    __cairn_fill_bytes(to + n, 0, size - n);
    return to;
}

/* stpncpy: like strncpy. */
char *stpncpy(char *to, const char *from, size_t size)
{
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to, from, n + (n < size));
    __cairn_fill_bytes(to + n, 0, size - n);
    return to + n;
}

/* strlcpy: requires a terminated source, at most `size` written bytes in bounds, and no overlap. */
size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t n = __cairn_string_length(from);
    if (size) {
        size_t kept = n < size ? n : size - 1;
        __cairn_copy_bytes(to, from, kept + (n < size));
        to[kept] = 0;
    }
    return n;
}

/* strcat: requires two terminated strings, the concatenation in bounds, and no overlap. */
char *strcat(char *to, const char *from)
{
    size_t at = __cairn_string_length(to);
    __cairn_copy_bytes(to + at, from, __cairn_string_length(from) + 1);
    return to;
}

/* strncat: requires a terminated target, at most `size` source bytes and the sum in bounds, and no overlap. */
char *strncat(char *to, const char *from, size_t size)
{
    size_t at = __cairn_string_length(to);
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to + at, from, n + (n < size));
    to[at + n] = 0;
    return to;
}

/* strlcat: requires a terminated source, at most `size` bytes of the target in bounds, and no overlap. */
size_t strlcat(char *to, const char *from, size_t size)
{
    size_t at = bounded_length(to, size);
    size_t n = __cairn_string_length(from);
    if (at < size) {
        size_t kept = n < size - at ? n : size - at - 1;
        __cairn_copy_bytes(to + at, from, kept + (n < size - at));
        to[at + kept] = 0;
    }
    return at + n;
}

/* strcmp: requires both strings in bounds and initialised up to the first difference. */
int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return __cairn_order(*(const unsigned char *)a - *(const unsigned char *)b);
}

/* strncmp: like strcmp, for at most `size` bytes. */
int strncmp(const char *a, const char *b, size_t size)
{
    for (; size; size--, a++, b++) {
        if (*a != *b)
            return __cairn_order(*(const unsigned char *)a - *(const unsigned char *)b);
        if (!*a)
            break;
    }
    return 0;
}

/* strcoll: like strcmp. The locale is always "C". */
int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

/* strxfrm: requires a terminated source, at most `size` written bytes in bounds, and no overlap. */
size_t strxfrm(char *to, const char *from, size_t size)
{
    size_t n = __cairn_string_length(from);
    if (size)
        __cairn_copy_bytes(to, from, n < size ? n + 1 : size);
    return n;
}

/* strcasecmp: like strcmp. */
int strcasecmp(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = lower(*(const unsigned char *)a);
        int y = lower(*(const unsigned char *)b);
        if (x != y || !x)
            return __cairn_order(x - y);
    }
}

/* strncasecmp: like strncmp. */
int strncasecmp(const char *a, const char *b, size_t size)
{
    for (; size; size--, a++, b++) {
        int x = lower(*(const unsigned char *)a);
        int y = lower(*(const unsigned char *)b);
        if (x != y || !x)
            return __cairn_order(x - y);
    }
    return 0;
}

/* strchr: requires the string in bounds up to the match, or terminated without one. */
char *strchr(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text)
            return 0;
    return (char *)text;
}

/* strchrnul: like strchr. */
char *strchrnul(const char *text, int c)
{
    while (*text && *text != (char)c)
        text++;
    return (char *)text;
}

/* index: like strchr. */
char *index(const char *text, int c)
{
    return strchr(text, c);
}

/* strrchr: requires a terminated string in bounds. */
char *strrchr(const char *text, int c)
{
    const char *found = 0;
    for (;; text++) {
        if (*text == (char)c)
            found = text;
        if (!*text)
            return (char *)found;
    }
}

/* rindex: like strrchr. */
char *rindex(const char *text, int c)
{
    return strrchr(text, c);
}

/* strstr: requires two terminated strings in bounds. */
char *strstr(const char *text, const char *word)
{
    size_t n = __cairn_string_length(word);
    if (!n)
        return (char *)text;
    for (; *text; text++)
        if (*text == *word && !strncmp(text, word, n))
            return (char *)text;
    return 0;
}

/* strcasestr: requires two terminated strings in bounds. */
char *strcasestr(const char *text, const char *word)
{
    size_t n = __cairn_string_length(word);
    if (!n)
        return (char *)text;
    for (; *text; text++)
        if (!strncasecmp(text, word, n))
            return (char *)text;
    return 0;
}

/* strspn: requires two terminated strings in bounds. */
size_t strspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n] && is_one_of(text[n], set))
        n++;
    return n;
}

/* strcspn: requires two terminated strings in bounds. */
size_t strcspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n] && !is_one_of(text[n], set))
        n++;
    return n;
}

/* strpbrk: requires two terminated strings in bounds. */
char *strpbrk(const char *text, const char *set)
{
    for (; *text; text++)
        if (is_one_of(*text, set))
            return (char *)text;
    return 0;
}

/* strtok_r: requires two terminated strings in bounds, and writable separators. */
char *strtok_r(char *text, const char *set, char **rest)
{
    if (!text)
        text = *rest;
    text += strspn(text, set);
    if (!*text) {
        *rest = text;
        return 0;
    }
    char *end = text + strcspn(text, set);
    if (*end)
        *end++ = 0;
    *rest = end;
    return text;
}

/* __strtok_r: like strtok_r. */
char *__strtok_r(char *text, const char *set, char **rest)
{
    return strtok_r(text, set, rest);
}

static char *strtok_rest;

/* strtok: like strtok_r. A static object holds the rest. */
char *strtok(char *text, const char *set)
{
    return strtok_r(text, set, &strtok_rest);
}

/* strsep: requires two terminated strings in bounds, and writable separators. */
char *strsep(char **rest, const char *set)
{
    char *text = *rest;
    if (!text)
        return 0;
    char *end = text + strcspn(text, set);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return text;
}

/* strdup: requires a terminated string in bounds. Returns a heap object. */
char *strdup(const char *text)
{
    size_t n = __cairn_string_length(text) + 1;
    char *copy = __cairn_heap_alloc(n);
    if (copy)
        __cairn_copy_bytes(copy, text, n);
    return copy;
}

/* __strdup: like strdup. */
char *__strdup(const char *text)
{
    return strdup(text);
}

/* strndup: requires at most `size` bytes of the string in bounds. Returns a heap object. */
char *strndup(const char *text, size_t size)
{
    size_t n = bounded_length(text, size);
    char *copy = __cairn_heap_alloc(n + 1);
    if (copy) {
        __cairn_copy_bytes(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

/* __strndup: like strndup. */
char *__strndup(const char *text, size_t size)
{
    return strndup(text, size);
}

/* memchr: requires the bytes up to the match in bounds, or `size` bytes without one. */
void *memchr(const void *data, int c, size_t size)
{
    const unsigned char *p = data;
    for (; size; size--, p++)
        if (*p == (unsigned char)c)
            return (void *)p;
    return 0;
}

/* rawmemchr: requires the bytes up to the match in bounds. */
void *rawmemchr(const void *data, int c)
{
    const unsigned char *p = data;
    while (*p != (unsigned char)c)
        p++;
    return (void *)p;
}

/* memrchr: requires the bytes from the last one down to the match in bounds. */
void *memrchr(const void *data, int c, size_t size)
{
    const unsigned char *p = data;
    while (size--)
        if (p[size] == (unsigned char)c)
            return (void *)(p + size);
    return 0;
}

/* memmem: requires the compared bytes of both regions in bounds. */
void *memmem(const void *data, size_t size, const void *word, size_t length)
{
    const unsigned char *p = data;
    const unsigned char *w = word;
    if (length > size)
        return 0;
    for (size_t at = 0; at <= size - length; at++) {
        size_t n = 0;
        while (n < length && p[at + n] == w[n])
            n++;
        if (n == length)
            return (void *)(p + at);
    }
    return 0;
}

/* memccpy: requires both regions in bounds up to the match, or `size` bytes without one. */
void *memccpy(void *to, const void *from, int c, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; size; size--) {
        *t++ = *f;
        if (*f++ == (unsigned char)c)
            return t;
    }
    return 0;
}

/* mempcpy: requires both regions in bounds and no overlap. */
void *mempcpy(void *to, const void *from, size_t size)
{
    __cairn_copy_bytes(to, from, size);
    return (char *)to + size;
}

/* __mempcpy: like mempcpy. */
void *__mempcpy(void *to, const void *from, size_t size)
{
    return mempcpy(to, from, size);
}

/* bcopy: requires both regions in bounds. They may overlap. */
void bcopy(const void *from, void *to, size_t size)
{
    __cairn_move_bytes(to, from, size);
}

/* bzero: requires the region in bounds. */
void bzero(void *to, size_t size)
{
    __cairn_fill_bytes(to, 0, size);
}

/* explicit_bzero: requires the region in bounds. */
void explicit_bzero(void *to, size_t size)
{
    __cairn_fill_bytes(to, 0, size);
}

/* bcmp: requires both regions in bounds and initialised, like memcmp. */
int bcmp(const void *a, const void *b, size_t size)
{
    return __cairn_compare_bytes(a, b, size);
}

/* ffs: no checks. */
int ffs(int value)
{
    return __builtin_ffs(value);
}

/* ffsl: no checks. */
int ffsl(long value)
{
    return __builtin_ffsl(value);
}

/* ffsll: no checks. */
int ffsll(long long value)
{
    return __builtin_ffsll(value);
}
