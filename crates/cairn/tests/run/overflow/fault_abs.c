// The absolute value of the least int does not fit.
#include <stdlib.h>

int main(void)
{
    int least = -2147483647 - 1;
    return abs(least) == 0; //~ overflow
}
