// strcpy writes to the local buffer of a function that has returned.
#include <string.h>

struct sink { char *buf; };

static struct sink open_sink(void) {
    char store[32];
    store[0] = 0;
    struct sink s = { store };
    return s;
}

int main(void) {
    struct sink s = open_sink();
    strcpy(s.buf, "gone"); //~ use-after-scope
    return 0;
}
