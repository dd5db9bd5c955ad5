// strncpy within one buffer with too large a count.
#include <string.h>

int main(void) {
    char s[24] = "limestone";
    int n = 0;
    while (s[n] != 's')
        n++;
    strncpy(s + 12, s + n, 4);
    strncpy(s + 3, s, 5); //~ overlap
    return s[23];
}
