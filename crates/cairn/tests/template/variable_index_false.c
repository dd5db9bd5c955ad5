// A variable index may select the element that is checked.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int a[2];
    for (int i = 0; i < 2; i++) a[i] = 0;
    int at = __VERIFIER_nondet_int();
    if (at < 0 || at > 1) return 0;
    a[at] = 1;
    if (a[1] == 1) reach_error();
}
