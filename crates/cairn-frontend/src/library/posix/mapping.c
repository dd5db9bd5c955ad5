/* sys/mman.h: mappings of memory without a file. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
void *__cairn_map_memory(size_t size);
int __cairn_unmap_memory(void *start, size_t size);
void __cairn_one_answer(void);
void __cairn_unsupported_a_mapping_of_a_file(void);
void __cairn_unsupported_a_mapping_at_a_fixed_address(void);
void __cairn_unsupported_a_mapping_that_is_not_readable_and_writable(void);
void __cairn_unsupported_unmapping_anything_but_a_whole_mapping(void);

enum { READ = 1, WRITE = 2, FIXED = 0x10, ANONYMOUS = 0x20, FIXED_NOREPLACE = 0x100000, PAGE = 4096 };

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static void *map(size_t size, int protection, int flags)
{
    if (!(flags & ANONYMOUS))
        __cairn_unsupported_a_mapping_of_a_file();
    if (flags & (FIXED | FIXED_NOREPLACE))
        __cairn_unsupported_a_mapping_at_a_fixed_address();
    if ((protection & (READ | WRITE)) != (READ | WRITE))
        __cairn_unsupported_a_mapping_that_is_not_readable_and_writable();
    __cairn_one_answer();
    if (size == 0) {
        *__errno_location() = 22;
        return (void *)-1;
    }
    if (size > (size_t)-1 / 2) {
        *__errno_location() = 12;
        return (void *)-1;
    }
    return __cairn_map_memory(whole_pages(size));
}

/* mmap: no checks. Supports only readable and writable memory without a file, at an address that the system chooses. */
void *mmap(void *wish, size_t size, int protection, int flags, int fd, long offset)
{
    return map(size, protection, flags);
}

/* mmap64: like mmap. */
void *mmap64(void *wish, size_t size, int protection, int flags, int fd, long long offset)
{
    return map(size, protection, flags);
}

/* munmap: no checks. Anything but a whole mapping is unsupported. */
int munmap(void *start, size_t size)
{
    if (size == 0 || (unsigned long)start % PAGE) {
        *__errno_location() = 22;
        return -1;
    }
    if (!__cairn_unmap_memory(start, whole_pages(size)))
        __cairn_unsupported_unmapping_anything_but_a_whole_mapping();
    return 0;
}
