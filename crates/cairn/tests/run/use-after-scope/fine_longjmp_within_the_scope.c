// The variables of the blocks around the call of `setjmp` live on, also one that is declared after the call.
#include <setjmp.h>

static jmp_buf back;

static int count(int n) {
  int *volatile p = &n;
  for (int i = 0; i < 2; i++) {
    int before = i;
    int *volatile q = &before;
    volatile int again = setjmp(back);
    int after = 1;
    p = &after;
    *q += *p;
    if (!again) {
      int inner = 1;
      *p += inner;
      longjmp(back, 1);
    }
    *q += *p;
  }
  return n;
}

int main(void) {
  return count(0);
}
