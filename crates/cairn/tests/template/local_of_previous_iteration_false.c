// A pointer to a local variable of the previous iteration.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int *last = 0;
    while (__VERIFIER_nondet_int()) {
        int x = 1;
        if (last && *last != 1) return 1;
        last = &x;
    }
}
