// A variable-length array is accessed in bounds.
//= deref: TRUE
//@ broken = deref: FALSE(valid-deref)
//      A variable-length array is accessed past its end.
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000) return 0;
    int all[count];
    for (int i = 0; i < count; i++) all[i] = i;
//@ broken: for (int i = 0; i <= count; i++) all[i] = i;
    return all[count - 1];
//@ broken: return all[0];
}
