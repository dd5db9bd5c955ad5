// What is known of a call with two variables does not hold of a call with one of them twice.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
static void set(int n, int *a, int *b) {
  if (n == 0) { *a = 1; *b = 2; return; }
  set(n - 1, a, b);
}
int main(void) {
  int x = 0, y = 0;
  set(2, &x, &y);
  if (x != 1 || y != 2) return 0;
  set(2, &x, &x);
  if (x == 2)
    reach_error();
  return 0;
}
