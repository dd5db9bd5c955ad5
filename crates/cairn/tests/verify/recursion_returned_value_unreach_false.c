// The value that the recursion returns is not always zero.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int down(int n) {
  if (n <= 0) return n;
  return down(n - 2);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && down(n) != 0)
    reach_error();
  return 0;
}
