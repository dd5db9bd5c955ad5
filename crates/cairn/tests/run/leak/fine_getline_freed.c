// getline's buffer is freed, whether there was a line or not.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *line = 0;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
    }
    free(line);
    return 0;
}
