// Writes through the result of strchr although the character is not in the string.
#include <stdio.h>
#include <string.h>

int main(void) {
    char path[] = "usr.local.bin";
    char *slash = strchr(path, '/');
    *slash = '\0'; //~ null-deref
    puts(path);
    return 0;
}
