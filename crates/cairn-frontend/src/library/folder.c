/* Files and folders by their names: there are none, as in an empty folder that can't be written to. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);

static int refuse(const char *path)
{
    __cairn_string_length(path);
    *__errno_location() = 2;
    return -1;
}

/* stat: path terminated in bounds; nothing exists. */
int stat(const char *path, void *to)
{
    return refuse(path);
}

/* lstat: path terminated in bounds; nothing exists. */
int lstat(const char *path, void *to)
{
    return refuse(path);
}

/* stat64: path terminated in bounds; nothing exists. */
int stat64(const char *path, void *to)
{
    return refuse(path);
}

/* lstat64: path terminated in bounds; nothing exists. */
int lstat64(const char *path, void *to)
{
    return refuse(path);
}

/* mkdir: path terminated in bounds; nothing exists. */
int mkdir(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* rmdir: path terminated in bounds; nothing exists. */
int rmdir(const char *path)
{
    return refuse(path);
}

/* chmod: path terminated in bounds; nothing exists. */
int chmod(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* chown: path terminated in bounds; nothing exists. */
int chown(const char *path, unsigned int user, unsigned int group)
{
    return refuse(path);
}

/* chdir: path terminated in bounds; nothing exists. */
int chdir(const char *path)
{
    return refuse(path);
}

/* truncate: path terminated in bounds; nothing exists. */
int truncate(const char *path, long size)
{
    return refuse(path);
}

/* utime: path terminated in bounds; nothing exists. */
int utime(const char *path, const void *times)
{
    return refuse(path);
}

/* utimes: path terminated in bounds; nothing exists. */
int utimes(const char *path, const void *times)
{
    return refuse(path);
}

/* creat: path terminated in bounds; nothing exists. */
int creat(const char *path, unsigned int mode)
{
    return refuse(path);
}

/* open64: path terminated in bounds; refused. */
int open64(const char *path, int flags, ...)
{
    return refuse(path);
}

/* readlink: path terminated in bounds; nothing exists. */
long readlink(const char *path, char *to, size_t size)
{
    return refuse(path);
}

/* realpath: path terminated in bounds; nothing exists. */
char *realpath(const char *path, char *to)
{
    refuse(path);
    return 0;
}

/* opendir: path terminated in bounds; nothing exists. */
void *opendir(const char *path)
{
    refuse(path);
    return 0;
}

/* lseek: no checks; the standard streams cannot be moved. */
long lseek(int fd, long offset, int from)
{
    *__errno_location() = fd >= 0 && fd <= 2 ? 29 : 9;
    return -1;
}

/* lseek64: no checks; the standard streams cannot be moved. */
long long lseek64(int fd, long long offset, int from)
{
    return lseek(fd, 0, from);
}

/* fsync: no checks; the standard streams need none. */
int fsync(int fd)
{
    *__errno_location() = fd >= 0 && fd <= 2 ? 22 : 9;
    return -1;
}
