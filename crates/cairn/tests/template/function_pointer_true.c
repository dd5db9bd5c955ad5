// A call through a pointer with one target.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int twice(int x) { return 2 * x; }
int main(void) {
    int (*f)(int) = twice;
    int x = __VERIFIER_nondet_int();
    if (f(x) % 2 == 1) reach_error();
}
