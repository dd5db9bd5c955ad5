// An irreducible loop: it is entered other than at its head.
//= unreach: OPEN
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int x = 0;
    if (__VERIFIER_nondet_int()) goto middle;
top:
    x = 1;
middle:
    x++;
    if (x > 5) reach_error();
    if (__VERIFIER_nondet_int()) goto top;
    if (__VERIFIER_nondet_int()) goto middle;
}
