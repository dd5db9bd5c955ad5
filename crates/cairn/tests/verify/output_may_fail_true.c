// Output may fail: the device may be full, and a stream that was opened for reading refuses it.
//= memsafety: TRUE
//@ put = memsafety: UNKNOWN
//      A replayed execution has no full device.
//@ print = memsafety: UNKNOWN
//@ flush = memsafety: UNKNOWN
//@ write = memsafety: UNKNOWN
//@ flag = memsafety: UNKNOWN
//@ close = memsafety: FALSE(valid-free)
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *text = malloc(4);
    if (!text)
        return 1;
    FILE *file = fopen("notes", "r");
    if (!file) {
        free(text);
        return 1;
    }
    if (fputs("a", file) == EOF) {
//@ put+ free(text);
        puts("no output");
    }
    if (printf("%d\n", 1) < 0) {
//@ print+ free(text);
        puts("no text");
    }
    if (fflush(stdout)) {
//@ flush+ free(text);
        puts("no device");
    }
    if (fwrite("abcd", 2, 2, file) != 2) {
//@ write+ free(text);
        puts("no bytes");
    }
    clearerr(stdout);
    putchar('x');
    if (ferror(stdout)) {
//@ flag+ free(text);
        clearerr(stdout);
    }
    if (fclose(file)) {
//@ close+ free(text);
        puts("not closed");
    }
    free(text);
    return 0;
}
