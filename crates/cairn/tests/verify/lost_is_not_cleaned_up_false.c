// What nothing points to any more was not freed either.
//= memcleanup: FALSE(valid-memcleanup)
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    p = 0;
    return p != 0;
}
