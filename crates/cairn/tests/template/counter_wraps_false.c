// A narrow counter wraps around.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    unsigned char c = 250;
    while (__VERIFIER_nondet_int()) {
        c++;
        if (c < 250) reach_error();
    }
}
