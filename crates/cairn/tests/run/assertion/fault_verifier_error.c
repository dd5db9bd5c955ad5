// Calls __VERIFIER_error from a helper that checks a condition.
extern void __VERIFIER_error(void);

static void check(int cond) {
    if (!cond) {
        goto ERROR;
    }
    return;
ERROR:
    __VERIFIER_error(); //~ assertion
}

int main(void) {
    unsigned char c = 250;
    for (int i = 0; i < 5; i++)
        c++;
    check(c == 255);
    c++;
    check(c == 256);
    return 0;
}
