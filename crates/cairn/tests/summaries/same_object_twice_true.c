// A function writes to two variables of its caller.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      Both parameters point to one variable in the second call.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void put(int *a, int *b) {
    *a = 1;
    *b = 2;
}
int main(void) {
    int x = 0, y = 0;
    put(&x, &y);
    if (y != 2) reach_error();
//@ broken: if (x != 1 || y != 2) return 1;
//@ broken+ put(&x, &x);
//@ broken+ if (x == 2) reach_error();
}
