/* string.h and strings.h. malloc, memcpy, memmove, memset, memcmp and strlen are operations of the IR itself. */

typedef __typeof__(sizeof 0) size_t;

void *__cairn_heap_alloc(size_t size);
void __cairn_copy_bytes(void *to, const void *from, size_t size);
void __cairn_move_bytes(void *to, const void *from, size_t size);
void __cairn_fill_bytes(void *to, int byte, size_t size);
size_t __cairn_string_length(const char *text);

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* The length of `text`, but at most `limit`; reads no byte past the end it finds. */
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

/* strnlen: reads at most `limit` bytes, in bounds. */
size_t strnlen(const char *text, size_t limit)
{
    return bounded_length(text, limit);
}

/* strcpy: both strings in bounds, source terminated, no overlap. */
char *strcpy(char *to, const char *from)
{
    __cairn_copy_bytes(to, from, __cairn_string_length(from) + 1);
    return to;
}

/* stpcpy: both strings in bounds, source terminated, no overlap. */
char *stpcpy(char *to, const char *from)
{
    size_t n = __cairn_string_length(from);
    __cairn_copy_bytes(to, from, n + 1);
    return to + n;
}

/* strncpy: writes exactly `size` bytes in bounds, reads the source up to its end or `size`, no overlap. */
char *strncpy(char *to, const char *from, size_t size)
{
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to, from, n);
    __cairn_fill_bytes(to + n, 0, size - n);
    return to;
}

/* stpncpy: as strncpy. */
char *stpncpy(char *to, const char *from, size_t size)
{
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to, from, n);
    __cairn_fill_bytes(to + n, 0, size - n);
    return to + n;
}

/* strlcpy: source terminated, writes at most `size` bytes in bounds, no overlap. */
size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t n = __cairn_string_length(from);
    if (size) {
        size_t kept = n < size ? n : size - 1;
        __cairn_copy_bytes(to, from, kept);
        to[kept] = 0;
    }
    return n;
}

/* strcat: both strings terminated, the sum in bounds, no overlap. */
char *strcat(char *to, const char *from)
{
    size_t at = __cairn_string_length(to);
    __cairn_copy_bytes(to + at, from, __cairn_string_length(from) + 1);
    return to;
}

/* strncat: target terminated, reads the source up to its end or `size`, the sum in bounds, no overlap. */
char *strncat(char *to, const char *from, size_t size)
{
    size_t at = __cairn_string_length(to);
    size_t n = bounded_length(from, size);
    __cairn_copy_bytes(to + at, from, n);
    to[at + n] = 0;
    return to;
}

/* strlcat: source terminated, reads and writes at most `size` bytes of the target, no overlap. */
size_t strlcat(char *to, const char *from, size_t size)
{
    size_t at = bounded_length(to, size);
    size_t n = __cairn_string_length(from);
    if (at < size) {
        size_t kept = n < size - at ? n : size - at - 1;
        __cairn_copy_bytes(to + at, from, kept);
        to[at + kept] = 0;
    }
    return at + n;
}

/* strcmp: both strings in bounds up to the first difference, no uninitialised byte. */
int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* strncmp: as strcmp, at most `size` bytes. */
int strncmp(const char *a, const char *b, size_t size)
{
    for (; size; size--, a++, b++) {
        if (*a != *b)
            return *(const unsigned char *)a - *(const unsigned char *)b;
        if (!*a)
            break;
    }
    return 0;
}

/* strcoll: as strcmp; the locale is always "C". */
int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

/* strxfrm: source terminated, writes at most `size` bytes in bounds, no overlap. */
size_t strxfrm(char *to, const char *from, size_t size)
{
    size_t n = __cairn_string_length(from);
    if (size)
        __cairn_copy_bytes(to, from, n < size ? n + 1 : size);
    return n;
}

/* strcasecmp: as strcmp. */
int strcasecmp(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = lower(*(const unsigned char *)a);
        int y = lower(*(const unsigned char *)b);
        if (x != y || !x)
            return x - y;
    }
}

/* strncasecmp: as strncmp. */
int strncasecmp(const char *a, const char *b, size_t size)
{
    for (; size; size--, a++, b++) {
        int x = lower(*(const unsigned char *)a);
        int y = lower(*(const unsigned char *)b);
        if (x != y || !x)
            return x - y;
    }
    return 0;
}

/* strchr: the string in bounds up to what is found, else terminated. */
char *strchr(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text)
            return 0;
    return (char *)text;
}

/* strchrnul: as strchr. */
char *strchrnul(const char *text, int c)
{
    while (*text && *text != (char)c)
        text++;
    return (char *)text;
}

/* index: as strchr. */
char *index(const char *text, int c)
{
    return strchr(text, c);
}

/* strrchr: the string terminated in bounds. */
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

/* rindex: as strrchr. */
char *rindex(const char *text, int c)
{
    return strrchr(text, c);
}

/* strstr: both strings terminated in bounds. */
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

/* strcasestr: both strings terminated in bounds. */
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

/* strspn: both strings terminated in bounds. */
size_t strspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n] && is_one_of(text[n], set))
        n++;
    return n;
}

/* strcspn: both strings terminated in bounds. */
size_t strcspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n] && !is_one_of(text[n], set))
        n++;
    return n;
}

/* strpbrk: both strings terminated in bounds. */
char *strpbrk(const char *text, const char *set)
{
    for (; *text; text++)
        if (is_one_of(*text, set))
            return (char *)text;
    return 0;
}

/* strtok_r: both strings terminated in bounds, the separators writable. */
char *strtok_r(char *text, const char *set, char **rest)
{
    if (!text)
        text = *rest;
    if (!text)
        return 0;
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

/* __strtok_r: as strtok_r. */
char *__strtok_r(char *text, const char *set, char **rest)
{
    return strtok_r(text, set, rest);
}

static char *strtok_rest;

/* strtok: as strtok_r; the rest is kept in a static object. */
char *strtok(char *text, const char *set)
{
    return strtok_r(text, set, &strtok_rest);
}

/* strsep: both strings terminated in bounds, the separators writable. */
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

/* strdup: string terminated in bounds; the copy is a heap object. */
char *strdup(const char *text)
{
    size_t n = __cairn_string_length(text) + 1;
    char *copy = __cairn_heap_alloc(n);
    if (copy)
        __cairn_copy_bytes(copy, text, n);
    return copy;
}

/* __strdup: as strdup. */
char *__strdup(const char *text)
{
    return strdup(text);
}

/* strndup: reads the string up to its end or `size`; the copy is a heap object. */
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

/* __strndup: as strndup. */
char *__strndup(const char *text, size_t size)
{
    return strndup(text, size);
}

/* memchr: in bounds up to what is found, else `size` bytes. */
void *memchr(const void *data, int c, size_t size)
{
    const unsigned char *p = data;
    for (; size; size--, p++)
        if (*p == (unsigned char)c)
            return (void *)p;
    return 0;
}

/* rawmemchr: in bounds up to what is found. */
void *rawmemchr(const void *data, int c)
{
    const unsigned char *p = data;
    while (*p != (unsigned char)c)
        p++;
    return (void *)p;
}

/* memrchr: in bounds from the last byte down to what is found. */
void *memrchr(const void *data, int c, size_t size)
{
    const unsigned char *p = data;
    while (size--)
        if (p[size] == (unsigned char)c)
            return (void *)(p + size);
    return 0;
}

/* memmem: both regions in bounds as far as they are compared. */
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

/* memccpy: both regions in bounds up to what is found, else `size` bytes. */
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

/* mempcpy: both regions in bounds, no overlap. */
void *mempcpy(void *to, const void *from, size_t size)
{
    __cairn_copy_bytes(to, from, size);
    return (char *)to + size;
}

/* __mempcpy: as mempcpy. */
void *__mempcpy(void *to, const void *from, size_t size)
{
    return mempcpy(to, from, size);
}

/* bcopy: both regions in bounds; they may overlap. */
void bcopy(const void *from, void *to, size_t size)
{
    __cairn_move_bytes(to, from, size);
}

/* bzero: the region in bounds. */
void bzero(void *to, size_t size)
{
    __cairn_fill_bytes(to, 0, size);
}

/* explicit_bzero: the region in bounds. */
void explicit_bzero(void *to, size_t size)
{
    __cairn_fill_bytes(to, 0, size);
}

/* bcmp: both regions in bounds up to the first difference. */
int bcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a;
    const unsigned char *y = b;
    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
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
