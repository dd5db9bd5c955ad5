// getline makes its buffer even when there is nothing to read.
#define _GNU_SOURCE
#include <stdio.h>

static int count_lines(void) {
    char *line = 0;
    size_t room = 0;
    int count = 0;
    while (getline(&line, &room, stdin) > 0) { //~ leak
        count++;
    }
    return count;
}

int main(void) {
    return count_lines();
}
