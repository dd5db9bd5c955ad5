// The error path frees a buffer that the normal path already freed.
#include <stdlib.h>
#include <string.h>

static int process(const char *text) {
    int rc = 0;
    char *buf = malloc(32);
    if (!buf) return -1;
    strcpy(buf, text);
    if (strlen(buf) > 3) {
        free(buf);
        rc = -1;
        goto out;
    }
out:
    free(buf); //~ double-free
    return rc;
}

int main(void) {
    return process("long text") == -1 ? 0 : 1;
}
