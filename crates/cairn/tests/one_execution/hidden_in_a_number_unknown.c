// A number keeps the object reachable, or does not.
// UNKNOWN
#include <stdlib.h>

static unsigned long hidden;

int main(void)
{
    hidden = (unsigned long)malloc(4);
    return 0;
}
