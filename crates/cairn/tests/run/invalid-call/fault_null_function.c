// Calls through a function pointer in a table that was left null.
#include <stdio.h>

struct ops { int (*open)(int); int (*close)(int); };

static int do_open(int fd) { return fd + 1; }

int main(void) {
    struct ops ops = { .open = do_open };
    int fd = ops.open(3);
    fd = ops.close(fd); //~ invalid-call
    printf("%d\n", fd);
    return 0;
}
