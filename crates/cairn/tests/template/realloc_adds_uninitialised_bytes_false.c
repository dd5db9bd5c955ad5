// The bytes that realloc adds are uninitialised.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int *all = malloc(sizeof *all);
    *all = 3;
    all = realloc(all, 2 * sizeof *all);
    if (all[0] != 3) return 0;
    if (all[1] != 3) reach_error();
}
