// Each iteration but the last one loses a stream.
#include <stdio.h>

int main(void)
{
    FILE *file = NULL;
    for (int i = 0; i < 3; i++)
        file = fopen("/dev/null", "r"); //~ file-leak
    return fclose(file);
}
