/* Files and directories by name: each may exist, and every operation may fail. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
void *__cairn_heap_alloc(size_t size);
void *__cairn_open_resource(size_t size);
void __cairn_close_resource(void *resource);
void __cairn_nondet_bytes(void *to, size_t size);
int __cairn_any_int(void);
long __cairn_any_long(void);
unsigned int __cairn_any_length(void);
void __cairn_assume(int condition);

/* The sizes of the structs of the system. */
enum { CAIRN_STAT = sizeof(long) == 8 ? 144 : 88, CAIRN_STAT64 = sizeof(long) == 8 ? 144 : 96 };

/* The offset of the name in a struct dirent, and the room for the name. */
enum { CAIRN_NAME = sizeof(long) == 8 ? 19 : 11, CAIRN_NAMES = 256 };

static int cairn_fails(void)
{
    if (!__cairn_any_int())
        return 0;
    int number = __cairn_any_int();
    __cairn_assume(number > 0 && number < 134);
    *__errno_location() = number;
    return 1;
}

static int cairn_changes(const char *path)
{
    __cairn_string_length(path);
    return -cairn_fails();
}

static int cairn_looks(const char *path, void *to, size_t size)
{
    __cairn_string_length(path);
    if (cairn_fails())
        return -1;
    __cairn_nondet_bytes(to, size);
    return 0;
}

/* stat: requires a terminated path in bounds, and a writable result. */
int stat(const char *path, void *to)
{
    return cairn_looks(path, to, CAIRN_STAT);
}

/* lstat: like stat. */
int lstat(const char *path, void *to)
{
    return cairn_looks(path, to, CAIRN_STAT);
}

/* stat64: like stat. */
int stat64(const char *path, void *to)
{
    return cairn_looks(path, to, CAIRN_STAT64);
}

/* lstat64: like stat. */
int lstat64(const char *path, void *to)
{
    return cairn_looks(path, to, CAIRN_STAT64);
}

/* fstat: requires a writable result. */
int fstat(int fd, void *to)
{
    return cairn_looks("", to, CAIRN_STAT);
}

/* fstat64: like fstat. */
int fstat64(int fd, void *to)
{
    return cairn_looks("", to, CAIRN_STAT64);
}

/* mkdir: requires a terminated path in bounds. */
int mkdir(const char *path, unsigned int mode)
{
    return cairn_changes(path);
}

/* rmdir: requires a terminated path in bounds. */
int rmdir(const char *path)
{
    return cairn_changes(path);
}

/* chmod: requires a terminated path in bounds. */
int chmod(const char *path, unsigned int mode)
{
    return cairn_changes(path);
}

/* chown: requires a terminated path in bounds. */
int chown(const char *path, unsigned int user, unsigned int group)
{
    return cairn_changes(path);
}

/* chdir: requires a terminated path in bounds. */
int chdir(const char *path)
{
    return cairn_changes(path);
}

/* truncate: requires a terminated path in bounds. */
int truncate(const char *path, long size)
{
    return cairn_changes(path);
}

/* utime: requires a terminated path in bounds. */
int utime(const char *path, const void *times)
{
    return cairn_changes(path);
}

/* utimes: requires a terminated path in bounds. */
int utimes(const char *path, const void *times)
{
    return cairn_changes(path);
}

static int cairn_descriptor(const char *path)
{
    __cairn_string_length(path);
    if (cairn_fails())
        return -1;
    int fd = __cairn_any_int();
    __cairn_assume(fd >= 0);
    return fd;
}

/* creat: requires a terminated path in bounds. */
int creat(const char *path, unsigned int mode)
{
    return cairn_descriptor(path);
}

/* open64: requires a terminated path in bounds. */
int open64(const char *path, int flags, ...)
{
    return cairn_descriptor(path);
}

/* readlink: requires a terminated path in bounds, and all written bytes in bounds. The result is not terminated. */
long readlink(const char *path, char *to, size_t size)
{
    __cairn_string_length(path);
    if (cairn_fails())
        return -1;
    long count = __cairn_any_long();
    __cairn_assume(count >= 0 && (size_t)count <= size);
    __cairn_nondet_bytes(to, count);
    return count;
}

/* realpath: requires a terminated path in bounds, and room for 4096 bytes or null. */
char *realpath(const char *path, char *to)
{
    __cairn_string_length(path);
    if (cairn_fails())
        return 0;
    size_t length = __cairn_any_length();
    __cairn_assume(length > 0 && length < 4096);
    if (!to)
        to = __cairn_heap_alloc(length + 1);
    if (!to)
        return 0;
    __cairn_nondet_bytes(to, length);
    to[length] = 0;
    __cairn_assume(to[0] == '/' && __cairn_string_length(to) == length);
    return to;
}

/* A folder: its current entry. */
struct cairn_folder {
    long alignment;
    char entry[CAIRN_NAME + CAIRN_NAMES];
};

/* opendir: requires a terminated path in bounds. */
void *opendir(const char *path)
{
    __cairn_string_length(path);
    return cairn_fails() ? 0 : __cairn_open_resource(sizeof(struct cairn_folder));
}

/* readdir: requires an open folder. */
void *readdir(void *folder)
{
    struct cairn_folder *opened = folder;
    opened->alignment = 0;
    if (cairn_fails() || __cairn_any_int())
        return 0;
    size_t length = __cairn_any_length();
    __cairn_assume(length > 0 && length < CAIRN_NAMES);
    __cairn_nondet_bytes(opened->entry, CAIRN_NAME + length);
    opened->entry[CAIRN_NAME + length] = 0;
    __cairn_assume(__cairn_string_length(opened->entry + CAIRN_NAME) == length);
    return opened->entry;
}

/* closedir: requires an open folder. */
int closedir(void *folder)
{
    struct cairn_folder *opened = folder;
    opened->alignment = 0;
    __cairn_close_resource(opened);
    return -cairn_fails();
}

/* lseek: no checks. */
long lseek(int fd, long offset, int from)
{
    if (cairn_fails())
        return -1;
    long at = __cairn_any_long();
    __cairn_assume(at >= 0);
    return at;
}

/* lseek64: no checks. */
long long lseek64(int fd, long long offset, int from)
{
    return lseek(fd, 0, from);
}

/* fsync: no checks. */
int fsync(int fd)
{
    return -cairn_fails();
}
