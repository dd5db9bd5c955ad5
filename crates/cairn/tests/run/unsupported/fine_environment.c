// The environment ends with a null pointer, wherever it begins.
#include <stddef.h>

extern char **environ;

int main(void) {
    int count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    return count < 0;
}
