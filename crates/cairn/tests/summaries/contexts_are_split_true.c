// The result of a call depends on its arguments, also through an intermediate function.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The function distinguishes other cases than its callers expect.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
static int price(int kind) { return kind == 0 ? 5 : 100; }
//@ broken: static int price(int kind) { return kind == 1 ? 5 : 100; }
static int twice(int kind) { return 2 * price(kind); }
int main(void) {
    if (price(0) != 5 || price(1) != 100) reach_error();
    if (twice(0) != 10 || twice(1) != 200) reach_error();
}
