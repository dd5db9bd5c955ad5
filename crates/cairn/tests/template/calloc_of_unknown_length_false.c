// A zeroed array of unknown length is accessed past its end.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000) return 0;
    int *all = calloc(count, sizeof *all);
    for (int i = 0; i <= count; i++) all[i] = i;
    return all[0];
}
