/* wchar.h: the functions on wide strings that mirror those of string.h. */

typedef __typeof__(sizeof 0) size_t;
typedef __typeof__(L'a') wchar_t;

void __cairn_copy_bytes(void *to, const void *from, size_t size);
void *__cairn_heap_alloc(size_t size);
void __cairn_move_bytes(void *to, const void *from, size_t size);
int __cairn_compare_bytes(const void *a, const void *b, size_t size);
int __cairn_order(int difference);

/* wcslen: requires a terminated string in bounds. */
size_t wcslen(const wchar_t *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

/* wcscpy: requires both strings in bounds, a terminated source and no overlap. */
wchar_t *wcscpy(wchar_t *to, const wchar_t *from)
{
    __cairn_copy_bytes(to, from, (wcslen(from) + 1) * sizeof(wchar_t));
    return to;
}

/* wcscat: requires two terminated strings, the concatenation in bounds, and no overlap. */
wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

/* wcscmp: requires both strings in bounds up to the first difference. */
int wcscmp(const wchar_t *a, const wchar_t *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return __cairn_order((*a > *b) - (*a < *b));
}

/* wcsncmp: like wcscmp, for at most `count` characters. */
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count)
{
    for (; count; count--, a++, b++) {
        if (*a != *b)
            return __cairn_order((*a > *b) - (*a < *b));
        if (!*a)
            break;
    }
    return 0;
}

/* wcschr: requires the string in bounds up to the match, or terminated without one. */
wchar_t *wcschr(const wchar_t *text, wchar_t c)
{
    for (; *text != c; text++)
        if (!*text)
            return 0;
    return (wchar_t *)text;
}

/* wcsncpy: requires `count` characters of the target and at most `count` of the source in bounds. */
wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t count)
{
    size_t n = 0;
    for (; n < count && from[n]; n++)
        to[n] = from[n];
    for (; n < count; n++)
        to[n] = 0;
    return to;
}

/* wmemcpy: requires both regions in bounds and no overlap. */
wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t count)
{
    __cairn_copy_bytes(to, from, count * sizeof(wchar_t));
    return to;
}

/* wmemmove: requires both regions in bounds. */
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count)
{
    __cairn_move_bytes(to, from, count * sizeof(wchar_t));
    return to;
}

/* wmemset: requires the region in bounds. */
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count)
{
    for (size_t n = 0; n < count; n++)
        to[n] = c;
    return to;
}

/* wmemcmp: requires both regions in bounds and initialised. */
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count)
{
    __cairn_compare_bytes(a, b, count * sizeof(wchar_t));
    for (; count; count--, a++, b++)
        if (*a != *b)
            return __cairn_order((*a > *b) - (*a < *b));
    return 0;
}

/* wcsnlen: requires the string in bounds up to its terminator, or up to `limit` characters. */
size_t wcsnlen(const wchar_t *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n;
}

/* wcsncat: requires a terminated destination, the source in bounds, the concatenation in bounds, and no overlap. */
wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t count)
{
    size_t n = wcsnlen(from, count);
    wchar_t *end = to + wcslen(to);
    __cairn_copy_bytes(end, from, n * sizeof(wchar_t));
    end[n] = 0;
    return to;
}

/* wcsdup: requires a terminated string in bounds. The copy is a heap object. */
wchar_t *wcsdup(const wchar_t *text)
{
    size_t bytes = (wcslen(text) + 1) * sizeof(wchar_t);
    wchar_t *copy = __cairn_heap_alloc(bytes);
    if (copy)
        __cairn_copy_bytes(copy, text, bytes);
    return copy;
}

/* wcsrchr: requires a terminated string in bounds. */
wchar_t *wcsrchr(const wchar_t *text, wchar_t wanted)
{
    const wchar_t *found = 0;
    for (;; text++) {
        if (*text == wanted)
            found = text;
        if (!*text)
            return (wchar_t *)found;
    }
}

/* wmemchr: requires `count` characters in bounds, up to the first that is found. */
wchar_t *wmemchr(const wchar_t *text, wchar_t wanted, size_t count)
{
    for (; count; count--, text++)
        if (*text == wanted)
            return (wchar_t *)text;
    return 0;
}

/* Returns whether a set contains a character. */
static int is_in(wchar_t c, const wchar_t *set)
{
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

/* wcsspn: requires two terminated strings in bounds. */
size_t wcsspn(const wchar_t *text, const wchar_t *set)
{
    size_t n = 0;
    while (text[n] && is_in(text[n], set))
        n++;
    return n;
}

/* wcscspn: requires two terminated strings in bounds. */
size_t wcscspn(const wchar_t *text, const wchar_t *set)
{
    size_t n = 0;
    while (text[n] && !is_in(text[n], set))
        n++;
    return n;
}

/* wcspbrk: requires two terminated strings in bounds. */
wchar_t *wcspbrk(const wchar_t *text, const wchar_t *set)
{
    text += wcscspn(text, set);
    return *text ? (wchar_t *)text : 0;
}

/* wcsstr: requires two terminated strings in bounds. */
wchar_t *wcsstr(const wchar_t *text, const wchar_t *part)
{
    size_t n = wcslen(part);
    for (;; text++) {
        size_t i = 0;
        while (i < n && text[i] == part[i])
            i++;
        if (i == n)
            return (wchar_t *)text;
        if (!*text)
            return 0;
    }
}
