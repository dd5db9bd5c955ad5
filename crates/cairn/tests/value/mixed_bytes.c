// Scalars whose bytes come from several sources: a value covers all mixtures, not only the sources.
#include <string.h>
extern int __VERIFIER_nondet_int(void);

int zeros;
int ones = 0x01010101;
unsigned char four[4] __attribute__((aligned(8))) = {1, 1, 1, 1};
unsigned char eight[8] __attribute__((aligned(8))) = {1, 1, 1, 1, 1, 1, 1, 1};

static int between(int low, int high) {
  int n = __VERIFIER_nondet_int();
  return n < low ? low : n > high ? high : n;
}

int main(void) {
  int found = 0, n = between(0, 4);
  int x = 0x01010101, y = 0x01010101;
  memcpy(&x, &zeros, n);
  found += x == 0x01010100;
  memset(&y, 0, n);
  found += y == 0x01010100;
  memset(&ones, 0, n);
  found += ones == 0x01010100;

  four[between(0, 3)] = 0;
  found += *(int *)four == 0x01010100;

  eight[0] = 0;
  found += ((int *)eight)[between(0, 1)] == 0x01010100;

  static unsigned char run[16];
  memset(run, 1, 6);
  for (int i = 0; i < 4; i++)
    found += ((int *)run)[i] == 0x0101;

  short elements[300];
  for (int i = 0; i < 300; i++)
    elements[i] = 1;
  for (int i = 0; i < 598; i++) {
    short v;
    memcpy(&v, (char *)elements + i, 2);
    found += v;
  }
  return found == 0;
}
