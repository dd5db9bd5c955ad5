// A variable-length array is accessed one iteration after its scope has ended.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int *kept = 0, sum = 0;
    for (int turn = 1; turn < 4; turn++) {
        int all[turn + 1];
        all[0] = turn;
        if (kept) sum += *kept;
        kept = all;
    }
    return sum;
}
