// Printing a buffer into itself: the source is overwritten while it is read.
#include <stdio.h>

int main(void) {
    char path[32] = "usr";
    sprintf(path, "/%s/%s", path, "lib"); //~ overlap
    return path[0] != '/';
}
