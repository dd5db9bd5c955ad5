// switch: fallthrough, default in the middle, case ranges, nested switches.
#include <stdio.h>

static int fall(int x)
{
    int r = 0;
    switch (x) {
    case 1:
        r += 1;
    case 2:
        r += 10;
        break;
    default:
        r += 1000;
    case 3:
        r += 100;
        break;
    case -4:
        return -1;
    }
    return r;
}

static const char *kind(int c)
{
    switch (c) {
    case '0' ... '9': return "digit";
    case 'a' ... 'z':
    case 'A' ... 'Z': return "letter";
    case -10 ... -1: return "negative";
    case ' ': case '\t': return "blank";
    }
    return "other";
}

static int nested(int a, int b)
{
    switch (a) {
    case 0:
        switch (b) {
        case 0: return 1;
        case 1: break;
        default: b = 50;
        }
        return b + 2;
    case 1:
        switch (b)
        default:
            return 99;
    }
    return -1;
}

int main(void)
{
    for (int i = -5; i < 6; i++)
        printf("%d ", fall(i));
    putchar('\n');
    const char *s = "a5Z \t!";
    for (; *s; s++)
        printf("%s ", kind(*s));
    printf("%s %s %s\n", kind(-10), kind(-11), kind(0));
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            printf("%d ", nested(a, b));
    putchar('\n');
    switch (3) {
    }
    switch (1) case 1: puts("bare");
    switch (2) {
        int hidden;
    case 2:
        hidden = 8;
        printf("%d\n", hidden);
    }
    return 0;
}
