// The old address is dangling after realloc.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int *all = malloc(sizeof *all);
    *all = 3;
    int *old = all;
    all = realloc(all, 2 * sizeof *all);
    return *old;
}
