// The stream is read after it was closed.
#include <stdio.h>

int main(void)
{
    FILE *file = fopen("/dev/null", "r");
    if (!file)
        return 1;
    fclose(file);
    return fgetc(file); //~ use-after-free
}
