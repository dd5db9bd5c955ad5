// The violation is ten recursive calls deep.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int count(int n) { return n <= 0 ? 0 : count(n - 1) + 1; }
int main(void) {
    if (count(10) != 9) reach_error();
}
