// The caller's local variables are unreachable from the inputs of the function.
//= unreach: TRUE
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int down(int n) {
    int own[2];
    own[n & 1] = n;
    if (n > 0) down(n - 1);
    return own[n & 1] == n;
}
int main(void) {
    if (!down(__VERIFIER_nondet_int())) reach_error();
}
