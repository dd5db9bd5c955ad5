// One counter is decremented while the other is incremented: their sum needs an octagon.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int a = 1000, b = 0;
    while (a > 0 && __VERIFIER_nondet_int()) {
        a--;
        b++;
    }
    if (a + b != 1000) reach_error();
}
