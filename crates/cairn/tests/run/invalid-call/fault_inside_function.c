// Calls an address one byte into a function.
static int one(void) { return 1; }

int main(void) {
    char *p = (char *)one;
    int (*f)(void) = (int (*)(void))(p + 1);
    int r = one();
    r += f(); //~ invalid-call
    return r == 77;
}
