// The violation is a hundred recursive calls deep, beyond the unwinding depth.
//= unreach: OPEN
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int count(int n) { return n <= 0 ? 0 : count(n - 1) + 1; }
int main(void) {
    if (count(100) != 99) reach_error();
}
