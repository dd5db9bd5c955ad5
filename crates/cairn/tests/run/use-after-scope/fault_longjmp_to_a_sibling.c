// The second return of `setjmp` is in another block than the call of `longjmp`.
#include <setjmp.h>

static jmp_buf back;

int main(void) {
  volatile int *volatile p = 0;
  {
    if (setjmp(back))
      return *p; //~ use-after-scope
  }
  {
    volatile int y = 1;
    p = &y;
    longjmp(back, 1);
  }
}
