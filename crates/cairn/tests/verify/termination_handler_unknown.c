// A handler that runs at the end of the program.
//= termination: UNKNOWN
#include <stdlib.h>

static void handler(void)
{
    for (;;)
        ;
}

int main(void)
{
    atexit(handler);
    return 0;
}
