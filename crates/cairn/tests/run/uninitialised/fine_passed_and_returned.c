// Partly set words go through calls, returns, variable arguments and 128 bits before they are masked.
#include <stdarg.h>
#include <stdio.h>

static unsigned long through(unsigned long value) { return value; }

static int low_byte(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    int last = 0;
    while (count--)
        last = va_arg(arguments, int) & 0xff;
    va_end(arguments);
    return last;
}

int main(void) {
    union { unsigned long word; unsigned char bytes[8]; } u;
    u.bytes[0] = 9;
    u.bytes[7] = 0x80;
    unsigned long word = through(u.word);
    if ((word & 0xff) == 9 && word >> 56 == 0x80)
        puts("ends");
    if (low_byte(2, 1, (int)word) == 9)
        puts("argument");
    unsigned __int128 wide = (unsigned __int128)word << 60;
    if ((unsigned char)(wide >> 60) == 9)
        puts("wide");
    printf("%c\n", (char)(word + 'a' - 9));
    return 0;
}
