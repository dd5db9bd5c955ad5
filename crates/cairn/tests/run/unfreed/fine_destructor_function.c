// A function marked as destructor frees the global after main.
#include <stdlib.h>

static char *log_buffer;

__attribute__((destructor)) static void at_end(void) {
    free(log_buffer);
}

int main(void) {
    log_buffer = malloc(32);
    if (!log_buffer) return 1;
    log_buffer[0] = 0;
    return 0;
}
