// Values that are written in pieces and read as a whole, and the other way round.
#include <string.h>

extern int __VERIFIER_nondet_int(void);

union word { unsigned value; unsigned char bytes[4]; unsigned short halves[2]; };
struct record { char tag; int number; char *text; };

int main(void) {
    union word word;
    word.value = 0x01020304;
    word.bytes[1] = (unsigned char)__VERIFIER_nondet_int();
    if (word.halves[1] != 0x0102)
        return 1;
    unsigned low = word.halves[0];
    if ((low & 0xff) != 4)
        return 2;
    char text[16] = "hello";
    struct record a = {'a', 7, text}, b[3];
    memset(b, 0, sizeof b);
    for (int i = 0; i < 3; i++) {
        b[i] = a;
        b[i].number += i;
    }
    struct record copy;
    memcpy(&copy, &b[__VERIFIER_nondet_int() & 1], sizeof copy);
    copy.text[copy.number] = 'x';
    char *address;
    for (unsigned i = 0; i < sizeof address; i++)
        ((char *)&address)[i] = ((char *)&copy.text)[i];
    *address = 'y';
    int index = copy.number + 6 + (__VERIFIER_nondet_int() & 3);
    text[index] = 'z';
    return text[0] != 'y';
}
