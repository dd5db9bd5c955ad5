// Addresses that become pointers again after they were bit-fields, floating-point numbers or single bits. The accesses are right, so
// that every branch ends at its own null pointer.
#include <string.h>
extern int __VERIFIER_nondet_int(void);

static char x[4];
static int reached;

union field {
  struct {
    unsigned long v : 63;
  } b;
  char *p;
};

struct tagged {
  unsigned long v : 48;
  unsigned t : 16;
};

union number {
  double d;
  char *p;
};

static void through_a_bit_field(void) {
  union field u;
  u.p = 0;
  u.b.v = (unsigned long)x;
  *u.p = 1;
  *(volatile int *)0 = 1;
}

static void through_a_tagged_word(void) {
  struct tagged s;
  char *p;
  s.v = (unsigned long)x;
  s.t = 7;
  unsigned long y = s.v;
  memcpy(&p, &y, sizeof p);
  *p = 1;
  *(volatile int *)0 = 1;
}

static void through_a_double(void) {
  unsigned long address = (unsigned long)x;
  double d = (double)address;
  unsigned long y = (unsigned long)d;
  char *p;
  memcpy(&p, &y, sizeof p);
  *p = 1;
  *(volatile int *)0 = 1;
}

static void negated_twice(void) {
  union number u;
  u.p = x;
  u.d = -u.d;
  u.d = -u.d;
  *u.p = 1;
  *(volatile int *)0 = 1;
}

static void bit_by_bit(void) {
  char *q = x, *p;
  unsigned long from = (unsigned long)q, to = 0;
  for (int i = 0; i < 64; i++)
    if (from >> i & 1)
      to |= 1ul << i;
  memcpy(&p, &to, sizeof p);
  *p = 1;
  *(volatile int *)0 = 1;
}

static void byte_by_byte(void) {
  char *q = x, *p;
  unsigned char bytes[sizeof q];
  unsigned long to = 0;
  memcpy(bytes, &q, sizeof q);
  for (int i = 0; i < 64; i++)
    if (bytes[i / 8] >> (i % 8) & 1)
      to |= 1ul << i;
  memcpy(&p, &to, sizeof p);
  *p = 1;
  *(volatile int *)0 = 1;
}

static void counted(void) {
  char *q = x, *p;
  unsigned char *from = (unsigned char *)&q, to[sizeof q];
  for (int i = 0; i < (int)sizeof q; i++) {
    int k = 0;
    while (k < from[i])
      k++;
    to[i] = k;
  }
  memcpy(&p, to, sizeof p);
  *p = 1;
  *(volatile int *)0 = 1;
}

static void of_one_of_two(void) {
  static char other[4];
  union field u;
  u.p = other;
  if (__VERIFIER_nondet_int())
    u.b.v = (unsigned long)x;
  *u.p = 1;
  if (x[0] == 1)
    *(volatile int *)0 = 1;
}

int main(void) {
  switch (__VERIFIER_nondet_int()) {
  case 0: through_a_bit_field(); break;
  case 1: through_a_tagged_word(); break;
  case 2: through_a_double(); break;
  case 3: negated_twice(); break;
  case 4: bit_by_bit(); break;
  case 5: of_one_of_two(); break;
  case 6: byte_by_byte(); break;
  case 7: counted(); break;
  default: reached = 1;
  }
  return reached;
}
