// The callee writes to a variable of its caller, the deepest call last.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void walk(int n, int *at) {
  if (n <= 0) return;
  *at = n;
  walk(n - 1, at);
}
int main(void) {
  int at = 7;
  int n = __VERIFIER_nondet_int();
  if (n > 3 || n < 0) return 0;
  walk(n, &at);
  if (at == 1)
    reach_error();
  return 0;
}
