// The null entry in the table is checked before the call.
#include <stdio.h>

struct ops { int (*open)(int); int (*close)(int); };

static int do_open(int fd) { return fd + 1; }

int main(void) {
    struct ops ops = { .open = do_open };
    int fd = ops.open ? ops.open(3) : -1;
    fd = ops.close ? ops.close(fd) : fd;
    printf("%d\n", fd);
    return 0;
}
