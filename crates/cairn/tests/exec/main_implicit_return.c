// Falling off the end of main yields status 0; negative status elsewhere.
#include <stdio.h>
#include <stdlib.h>

static void void_return(int x)
{
    if (x < 0)
        return;
    printf("%d\n", x);
}

static int value(void) { return -3; }

static unsigned char narrow(void) { return value(); }
static _Bool truth(void) { return value(); }
static double real(void) { return value(); }
static unsigned uns(void) { return -1; }
static long lng(void) { return 0x80000000u; }
static short sht(void) { return 0x12345; }

int main(void)
{
    void_return(-1);
    void_return(1);
    (void)value();
    printf("%d %d %g\n", narrow(), truth(), real());
    printf("%u %ld %d\n", uns(), lng(), sht());
    if (value() > 0)
        exit(-1);
    {
        int main = 5;
        printf("%d\n", main);
    }
}
