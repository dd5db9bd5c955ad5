// A loop of `longjmp`.
//= termination: UNKNOWN
#include <setjmp.h>

static jmp_buf start;

int main(void)
{
    setjmp(start);
    longjmp(start, 1);
}
