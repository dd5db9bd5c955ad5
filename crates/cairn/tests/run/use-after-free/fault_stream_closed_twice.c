// The stream is closed by the function and by its caller.
#include <stdio.h>

static int lines(FILE *file)
{
    int count = 0;
    for (int c; (c = fgetc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

int main(void)
{
    FILE *file = fopen("/dev/null", "r");
    int count = lines(file);
    fclose(file); //~ use-after-free
    return count;
}
