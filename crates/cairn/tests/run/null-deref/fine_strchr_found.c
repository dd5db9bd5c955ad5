// The same search as the faulty one, but the character is there.
#include <stdio.h>
#include <string.h>

int main(void) {
    char path[] = "usr/local.bin";
    char *slash = strchr(path, '/');
    *slash = '\0';
    puts(path);
    char *none = strchr(path, '/');
    printf("%d\n", none == NULL);
    return 0;
}
