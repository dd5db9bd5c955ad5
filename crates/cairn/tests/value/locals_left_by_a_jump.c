// `longjmp` ends the lifetime of the locals of the functions that it leaves, also where only memory points to them.
#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);

static jmp_buf target;
static int *left, *kept;

static void jump(void) { longjmp(target, 1); }

static void leave(void) {
  int local = 1;
  left = &local;
  jump();
}

int main(void) {
  int mine = 2;
  kept = &mine;
  if (setjmp(target)) {
    *kept = 3;
    if (__VERIFIER_nondet_int())
      *left = 4;
    return 0;
  }
  leave();
  return 0;
}
