// Functions of the C library that fail, and that allocate.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char working_directory(void)
{
    char *path = getcwd(NULL, 0);
    char first = path[0]; //~ null-deref
    free(path);
    return first;
}

char checked_working_directory(void)
{
    char *path = getcwd(NULL, 0);
    if (!path)
        return 0;
    char first = path[0];
    free(path);
    return first;
}

int lost_working_directory(void)
{
    char *path = getcwd(NULL, 0); //~ leak
    return path != NULL;
}

char own_buffer(void)
{
    char buffer[16];
    char *path = getcwd(buffer, sizeof buffer);
    return path ? path[0] : 0;
}

long position(FILE *stream)
{
    fpos_t position;
    return fgetpos(stream, &position);
}

int position_of_no_stream(const char *path)
{
    fpos_t position;
    FILE *stream = fopen(path, "r");
    int result = fgetpos(stream, &position); //~ null-deref
    if (stream)
        fclose(stream);
    return result;
}
