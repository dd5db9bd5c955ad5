// The number of bytes to write does not fit into size_t.
#include <stdio.h>

int main(void) {
    int values[4] = {4, 3, 2, 1};
    return fwrite(values, sizeof values, (size_t)-1 / 2, stdout) == 0; //~ out-of-bounds
}
