// A struct of shorts goes through a word; the sum carries the member that was never set into the comparison.
#include <string.h>

struct pair { short x, y; };

int main(void) {
    struct pair p;
    p.x = 1000;
    unsigned word;
    memcpy(&word, &p, sizeof word);
    word += 5;
    if ((word & 0xffff) != 1005)
        return 1;
    if (word > 70000) //~ uninitialised
        return 0;
    return 0;
}
