// The result is stored, and its value decides.
// UNKNOWN
#include <string.h>

int main(void)
{
    int array[2] = {0}, orders[1];
    orders[0] = memcmp("b", "a", 1);
    return array[orders[0] & 2];
}
