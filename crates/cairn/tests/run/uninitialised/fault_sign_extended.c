// The high byte of a half word is not set, and its sign reaches all of the upper half.
#include <string.h>

int main(void) {
    short s;
    char low = 1;
    memcpy(&s, &low, sizeof low);
    int wide = s;
    if ((wide & 0xff) != 1)
        return 1;
    if (wide >> 20 & 1) //~ uninitialised
        return 0;
    return 0;
}
