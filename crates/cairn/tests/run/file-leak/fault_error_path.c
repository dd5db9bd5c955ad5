// The early return forgets the stream.
#include <stdio.h>

static int first_character(const char *path)
{
    FILE *file = fopen(path, "r"); //~ file-leak
    if (!file)
        return -2;
    int c = fgetc(file);
    if (c == EOF)
        return -1;
    fclose(file);
    return c;
}

int main(void)
{
    return first_character("/dev/null") != -1;
}
