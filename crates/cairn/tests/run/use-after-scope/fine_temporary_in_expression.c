// The array inside a returned struct is read before the full expression ends.
#include <stdio.h>

struct name { char text[8]; };

static struct name make(char c) {
    struct name n = { { c, 'b', 0 } };
    return n;
}

int main(void) {
    char c = make('a').text[0];
    char d = *(make('q').text + 1);
    printf("%c%c\n", c, d);
    return 0;
}
