// A function swaps two pointers of its caller.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void exchange(int **a, int **b) {
    int *t = *a;
    *a = *b;
    *b = t;
}
int main(void) {
    int x = 1, y = 2;
    int *p = &x, *q = &y;
    exchange(&p, &q);
    *p = 9;
    if (y == 9) reach_error();
}
