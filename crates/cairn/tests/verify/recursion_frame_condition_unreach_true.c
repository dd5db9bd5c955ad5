// What the caller knows of its variables it still knows after the call.
//= unreach: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int down(int n) {
  if (n <= 0) return 0;
  return down(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  if (n < m && m < 10) {
    int z = down(m);
    if (n >= m || z != 0)
      reach_error();
  }
  return 0;
}
