/* Files and directories by name: none exists, as in an empty, read-only directory. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
void __cairn_one_answer(void);
void __cairn_unsupported_reading_a_folder(void);
void __cairn_unsupported_closing_a_folder(void);

static int refuse(const char *path)
{
    __cairn_string_length(path);
    __cairn_one_answer();
    *__errno_location() = 2;
    return -1;
}

/* stat: requires a terminated path in bounds. No file exists. */
int stat(const char *path, void *to)
{
    return refuse(path);
}

/* lstat: requires a terminated path in bounds. No file exists. */
int lstat(const char *path, void *to)
{
    return refuse(path);
}

/* stat64: requires a terminated path in bounds. No file exists. */
int stat64(const char *path, void *to)
{
    return refuse(path);
}

/* lstat64: requires a terminated path in bounds. No file exists. */
int lstat64(const char *path, void *to)
{
    return refuse(path);
}

/* mkdir: requires a terminated path in bounds. No file exists. */
int mkdir(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* rmdir: requires a terminated path in bounds. No file exists. */
int rmdir(const char *path)
{
    return refuse(path);
}

/* chmod: requires a terminated path in bounds. No file exists. */
int chmod(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* chown: requires a terminated path in bounds. No file exists. */
int chown(const char *path, unsigned int user, unsigned int group)
{
    return refuse(path);
}

/* chdir: requires a terminated path in bounds. No file exists. */
int chdir(const char *path)
{
    return refuse(path);
}

/* truncate: requires a terminated path in bounds. No file exists. */
int truncate(const char *path, long size)
{
    return refuse(path);
}

/* utime: requires a terminated path in bounds. No file exists. */
int utime(const char *path, const void *times)
{
    return refuse(path);
}

/* utimes: requires a terminated path in bounds. No file exists. */
int utimes(const char *path, const void *times)
{
    return refuse(path);
}

/* creat: requires a terminated path in bounds. No file exists. */
int creat(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* open64: requires a terminated path in bounds. Always fails. */
int open64(const char *path, int flags, ...)
{
    return refuse(path);
}

/* readlink: requires a terminated path in bounds. No file exists. */
long readlink(const char *path, char *to, size_t size)
{
    return refuse(path);
}

/* realpath: requires a terminated path in bounds. No file exists. */
char *realpath(const char *path, char *to)
{
    refuse(path);
    return 0;
}

/* opendir: requires a terminated path in bounds. No file exists. */
void *opendir(const char *path)
{
    refuse(path);
    return 0;
}

/* lseek: no checks. Always fails, since the standard streams are not seekable. */
long lseek(int fd, long offset, int from)
{
    __cairn_one_answer();
    *__errno_location() = fd >= 0 && fd <= 2 ? 29 : 9;
    return -1;
}

/* lseek64: no checks. Always fails, since the standard streams are not seekable. */
long long lseek64(int fd, long long offset, int from)
{
    return lseek(fd, 0, from);
}

/* fsync: no checks. Always fails, since the standard streams cannot be synchronised. */
int fsync(int fd)
{
    __cairn_one_answer();
    *__errno_location() = fd >= 0 && fd <= 2 ? 22 : 9;
    return -1;
}

/* fstat: no checks. Always fails. */
int fstat(int fd, void *to)
{
    __cairn_one_answer();
    *__errno_location() = 9;
    return -1;
}

/* fstat64: no checks. Always fails. */
int fstat64(int fd, void *to)
{
    return fstat(fd, to);
}

/* readdir: no checks. No folder is open. */
void *readdir(void *folder)
{
    __cairn_unsupported_reading_a_folder();
    return 0;
}

/* closedir: no checks. No folder is open. */
int closedir(void *folder)
{
    __cairn_unsupported_closing_a_folder();
    return 0;
}
