/* The functions that headers call under _FORTIFY_SOURCE. Every access is checked, so the given object size is ignored.
   */

typedef __typeof__(sizeof 0) size_t;

void __cairn_copy_bytes(void *to, const void *from, size_t size);
void __cairn_move_bytes(void *to, const void *from, size_t size);
void __cairn_fill_bytes(void *to, int byte, size_t size);
char *strcpy(char *, const char *);
char *stpcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *stpncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int vdprintf(int, const char *, __builtin_va_list);
int vprintf(const char *, __builtin_va_list);
int vfprintf(void *, const char *, __builtin_va_list);
int vsprintf(char *, const char *, __builtin_va_list);
int vsnprintf(char *, size_t, const char *, __builtin_va_list);
int vasprintf(char **, const char *, __builtin_va_list);
char *fgets(char *, int, void *);
char *gets(char *);
size_t fread(void *, size_t, size_t, void *);

/* __memcpy_chk: like memcpy. */
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    __cairn_copy_bytes(to, from, size);
    return to;
}

/* __mempcpy_chk: like mempcpy. */
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    __cairn_copy_bytes(to, from, size);
    return (char *)to + size;
}

/* __memmove_chk: like memmove. */
void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
    __cairn_move_bytes(to, from, size);
    return to;
}

/* __memset_chk: like memset. */
void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
    __cairn_fill_bytes(to, byte, size);
    return to;
}

/* __strcpy_chk: like strcpy. */
char *__strcpy_chk(char *to, const char *from, size_t room)
{
    return strcpy(to, from);
}

/* __stpcpy_chk: like stpcpy. */
char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    return stpcpy(to, from);
}

/* __strncpy_chk: like strncpy. */
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room)
{
    return strncpy(to, from, size);
}

/* __stpncpy_chk: like stpncpy. */
char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room)
{
    return stpncpy(to, from, size);
}

/* __strcat_chk: like strcat. */
char *__strcat_chk(char *to, const char *from, size_t room)
{
    return strcat(to, from);
}

/* __strncat_chk: like strncat. */
char *__strncat_chk(char *to, const char *from, size_t size, size_t room)
{
    return strncat(to, from, size);
}

/* __vprintf_chk: like vprintf. */
int __vprintf_chk(int flag, const char *format, __builtin_va_list list)
{
    return vprintf(format, list);
}

/* __vfprintf_chk: like vfprintf. */
int __vfprintf_chk(void *stream, int flag, const char *format, __builtin_va_list list)
{
    return vfprintf(stream, format, list);
}

/* __vsprintf_chk: like vsprintf. */
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, __builtin_va_list list)
{
    return vsprintf(to, format, list);
}

/* __vsnprintf_chk: like vsnprintf. */
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, __builtin_va_list list)
{
    return vsnprintf(to, size, format, list);
}

/* __vasprintf_chk: like vasprintf. */
int __vasprintf_chk(char **to, int flag, const char *format, __builtin_va_list list)
{
    return vasprintf(to, format, list);
}

/* __vdprintf_chk: like vdprintf. */
int __vdprintf_chk(int fd, int flag, const char *format, __builtin_va_list list)
{
    return vdprintf(fd, format, list);
}

/* __printf_chk: like printf. */
int __printf_chk(int flag, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vprintf(format, list);
    __builtin_va_end(list);
    return n;
}

/* __fprintf_chk: like fprintf. */
int __fprintf_chk(void *stream, int flag, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfprintf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* __sprintf_chk: like sprintf. */
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

/* __snprintf_chk: like snprintf. */
int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    __builtin_va_end(list);
    return n;
}

/* __asprintf_chk: like asprintf. */
int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vasprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

/* __dprintf_chk: like dprintf. */
int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vdprintf(fd, format, list);
    __builtin_va_end(list);
    return n;
}

/* __fgets_chk: like fgets. */
char *__fgets_chk(char *to, size_t room, int size, void *stream)
{
    return fgets(to, size, stream);
}

/* __gets_chk: like gets. */
char *__gets_chk(char *to, size_t room)
{
    return gets(to);
}

/* __fread_chk: like fread. */
size_t __fread_chk(void *to, size_t room, size_t size, size_t count, void *stream)
{
    return fread(to, size, count, stream);
}
