// A call through a pointer with two targets.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int twice(int x) { return 2 * x; }
int next(int x) { return x + 1; }
int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? twice : next;
    if (f(3) == 4) reach_error();
}
