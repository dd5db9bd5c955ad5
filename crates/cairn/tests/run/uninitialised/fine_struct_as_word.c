// A struct of shorts goes through a word; the member that was never set is masked out.
#include <stdio.h>
#include <string.h>

struct pair { short x, y; };

int main(void) {
    struct pair p;
    p.x = 1000;
    unsigned word;
    memcpy(&word, &p, sizeof word);
    if ((word & 0xffff) == 1000)
        puts("x");
    word &= 0xffff;
    word += 5 << 16;
    if (word == (5u << 16 | 1000))
        puts("both");
    return 0;
}
