// `longjmp` leaves the block in which the variable lives.
#include <setjmp.h>

static jmp_buf back;

int main(void) {
  int *volatile p = 0;
  if (setjmp(back) == 0) {
    int x = 1;
    p = &x;
    longjmp(back, 1);
  }
  *p = 2; //~ use-after-scope
  return 0;
}
