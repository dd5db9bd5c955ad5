// A write at one of several places may overwrite a whole scalar, or a part of it.
#include <string.h>
extern int __VERIFIER_nondet_int(void);

static int between(int low, int high) {
  int n = __VERIFIER_nondet_int();
  return n < low ? low : n > high ? high : n;
}

int main(void) {
  char bytes[16] = {0};
  int zero = 0, one = 1, k, found = 0;
  memcpy(bytes, &zero, 4);
  memcpy(bytes + between(0, 4), &one, 4);
  memcpy(&k, bytes, 4);
  found += k == 0x100;
  found += k == 0x10000;
  found += k == 1;

  short pair[8] = {0};
  memcpy((char *)pair + 2 * between(0, 6), &one, 4);
  memcpy(&k, pair, 4);
  found += k == 0x10000;
  return found;
}
