// C fixes the sign of the result only.
// UNKNOWN
#include <string.h>

int main(void)
{
    int array[2] = {0};
    return array[strcmp("b", "a") == 2 ? 2 : 0];
}
