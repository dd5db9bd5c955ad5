// A format takes a long long as an int.
#include <stdio.h>

int main(void)
{
    printf("%d\n", 5000000000LL); //~ invalid-call
    return 0;
}
