// The stream is closed on every path.
#include <stdio.h>

static int first_character(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return -2;
    int c = fgetc(file);
    fclose(file);
    return c;
}

int main(void)
{
    return first_character("/dev/null") != EOF || first_character("/dev/none/of/it") != -2;
}
