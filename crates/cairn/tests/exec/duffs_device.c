// Duff's device: case labels inside a loop body, loops inside a switch.
#include <stdio.h>

static void copy(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int state;

static int generator(void)
{
    static int i, j;
    switch (state) {
    case 0:
        for (i = 0; i < 3; i++) {
            for (j = 0; j <= i; j++) {
                state = 1;
                return i * 10 + j;
    case 1:;
            }
        }
        state = 2;
    case 2:
        return -1;
    }
    return -2;
}

int main(void)
{
    char buf[40];
    const char *text = "the quick brown fox jumps over it";
    for (int len = 1; len <= 33; len += 4) {
        copy(buf, text, len);
        buf[len] = 0;
        printf("%d [%s]\n", len, buf);
    }
    int v;
    while ((v = generator()) >= 0)
        printf("%d ", v);
    printf("%d\n", generator());
    int total = 0;
    for (int i = 0; i < 10; i++) {
        switch (i % 4) {
        case 0: continue;
        case 1: if (i > 4) {
        case 2: total += i;
                } else
        case 3: total += 100;
        }
        total += 1000;
    }
    printf("%d\n", total);
    return 0;
}
