// A block held only by a local of main is lost when main returns.
extern void *calloc(unsigned long, unsigned long);

int main(void) {
    long *v = calloc(4, sizeof *v); //~ leak
    long **pv = &v;
    if (!v) return 1;
    (*pv)[3] = 1;
    return v[3] == 1 ? 0 : 1;
}
