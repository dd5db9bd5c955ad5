// getline with a buffer whose size is given as 0 forgets the buffer in glibc.
//= memsafety: FALSE(valid-memtrack)
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = malloc(16);
    size_t room = 0;
    if (!line)
        return 1;
    getline(&line, &room, stdin);
    free(line);
    return 0;
}
