// Both paths lead to a single free at the end.
#include <stdlib.h>
#include <string.h>

static int process(const char *text) {
    int rc = 0;
    char *buf = malloc(32);
    if (!buf) return -1;
    strcpy(buf, text);
    if (strlen(buf) > 3) {
        rc = -1;
        goto out;
    }
    buf[0] = '!';
out:
    free(buf);
    return rc;
}

int main(void) {
    return process("long text") + process("ok") == -1 ? 0 : 1;
}
