// Each call of a recursive function has variables of its own, which end with the call.
extern int __VERIFIER_nondet_int(void);

static int *last;

static int down(int n, int *parent) {
    int mine = n;
    int unset;
    if (n & 1)
        unset = n;
    if (n == 0) {
        last = &mine;
        return *parent;
    }
    int result = down(n - 1, &mine);
    if (mine != n)
        return -1;
    if ((n & 1) && unset != n)
        return -2;
    *parent += 1;
    return result + mine;
}

int main(void) {
    int root = 5;
    int sum = down(6, &root);
    if (root != 6)
        return 1;
    if (__VERIFIER_nondet_int() & 1)
        sum += *last;
    return sum < 0;
}
