// The working directory, in a buffer of the caller and in new memory.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char small[1], buffer[4096];
    errno = 0;
    printf("%d", getcwd(small, sizeof small) == NULL);
    printf(" %d", errno == ERANGE);
    printf(" %d\n", getcwd(buffer, 0) == NULL && errno == EINVAL);
    char *path = getcwd(buffer, sizeof buffer);
    printf("%d\n", path == buffer && path[0] == '/');
    path = getcwd(NULL, 0);
    printf("%d\n", path != NULL && path[0] == '/');
    free(path);
    return 0;
}
