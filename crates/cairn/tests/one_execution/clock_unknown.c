// The time decides.
// UNKNOWN
#include <time.h>

int main(void)
{
    int array[2] = {0};
    return array[time(0) & 2];
}
