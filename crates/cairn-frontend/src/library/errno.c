/* errno.h, and the messages of strerror. */

typedef __typeof__(sizeof 0) size_t;

void __cairn_copy_bytes(void *to, const void *from, size_t size);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
int __cairn_is_open(int fd);
int snprintf(char *to, size_t size, const char *format, ...);

static _Thread_local int error_number;

/* __errno_location: no checks. */
int *__errno_location(void)
{
    return &error_number;
}

static const char *const texts[] = {
    [0] = "Success",
    [1] = "Operation not permitted",
    [2] = "No such file or directory",
    [3] = "No such process",
    [4] = "Interrupted system call",
    [5] = "Input/output error",
    [6] = "No such device or address",
    [7] = "Argument list too long",
    [8] = "Exec format error",
    [9] = "Bad file descriptor",
    [10] = "No child processes",
    [11] = "Resource temporarily unavailable",
    [12] = "Cannot allocate memory",
    [13] = "Permission denied",
    [14] = "Bad address",
    [15] = "Block device required",
    [16] = "Device or resource busy",
    [17] = "File exists",
    [18] = "Invalid cross-device link",
    [19] = "No such device",
    [20] = "Not a directory",
    [21] = "Is a directory",
    [22] = "Invalid argument",
    [23] = "Too many open files in system",
    [24] = "Too many open files",
    [25] = "Inappropriate ioctl for device",
    [26] = "Text file busy",
    [27] = "File too large",
    [28] = "No space left on device",
    [29] = "Illegal seek",
    [30] = "Read-only file system",
    [31] = "Too many links",
    [32] = "Broken pipe",
    [33] = "Numerical argument out of domain",
    [34] = "Numerical result out of range",
    [35] = "Resource deadlock avoided",
    [36] = "File name too long",
    [37] = "No locks available",
    [38] = "Function not implemented",
    [39] = "Directory not empty",
    [40] = "Too many levels of symbolic links",
    [75] = "Value too large for defined data type",
    [84] = "Invalid or incomplete multibyte or wide character",
    [95] = "Operation not supported",
    [110] = "Connection timed out",
    [111] = "Connection refused",
};

static char unknown_text[40];

/* strerror: no checks. Every number has a text. */
char *strerror(int number)
{
    if (number >= 0 && number < (int)(sizeof texts / sizeof texts[0]) && texts[number])
        return (char *)texts[number];
    snprintf(unknown_text, sizeof unknown_text, "Unknown error %d", number);
    return unknown_text;
}

/* strerror_r (the GNU one): no checks. Does not use the buffer. */
char *strerror_r(int number, char *to, size_t size)
{
    return strerror(number);
}

/* __xpg_strerror_r (the POSIX one): requires the written bytes, at most `size`, in bounds. */
int __xpg_strerror_r(int number, char *to, size_t size)
{
    const char *text = strerror(number);
    size_t n = __cairn_string_length(text);
    if (n < size) {
        __cairn_copy_bytes(to, text, n + 1);
        return 0;
    }
    if (size) {
        __cairn_copy_bytes(to, text, size - 1);
        to[size - 1] = 0;
    }
    return 34;
}

/* perror: requires a terminated prefix in bounds, or null. */
void perror(const char *prefix)
{
    const char *text = strerror(error_number);
    if (!__cairn_is_open(2)) {
        if (prefix)
            __cairn_string_length(prefix);
        return;
    }
    if (prefix && *prefix) {
        __cairn_write(2, prefix, __cairn_string_length(prefix));
        __cairn_write(2, ": ", 2);
    }
    __cairn_write(2, text, __cairn_string_length(text));
    __cairn_write(2, "\n", 1);
}
