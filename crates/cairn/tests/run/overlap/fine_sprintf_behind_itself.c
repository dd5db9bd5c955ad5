// The text is written behind the string that it is made from.
#include <stdio.h>

int main(void) {
    char path[32] = "usr";
    snprintf(path + 4, sizeof path - 4, "/%s", path);
    return path[4] != '/';
}
