// The distance of an address from null is the address again.
extern int __VERIFIER_nondet_int(void);

static char a[4], b[4];

int main(void) {
  char *z = 0;
  char *p = z + (a - z);
  *p = 1;
  char *q = __VERIFIER_nondet_int() ? a : b;
  char *r = a + (q - a);
  *r = 2;
  if (b[0] == 2)
    *(volatile int *)0 = 1;
  return 0;
}
