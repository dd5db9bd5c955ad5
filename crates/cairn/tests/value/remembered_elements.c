// An element of an array that was written at an unknown index: the values of both branches stay possible, also negative ones of 32 bits.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a[10];
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i >= 10)
    return 0;
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 2)
    return 0;
  if (__VERIFIER_nondet_int())
    a[i] = x * 3 - 3;
  else
    a[i] = 1;
  if (a[i] == 3) {
    int *p = 0;
    *p = 1;
  }
  return 0;
}
