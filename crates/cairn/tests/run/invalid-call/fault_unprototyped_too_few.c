// Calls through an unprototyped pointer, but with one argument missing.
static int last;

static void set(int a, int b) { last = a - b; }

int main(void) {
    void (*f)() = (void (*)())set;
    f(2, 1);
    if (last != 1) return 1;
    f(2); //~ invalid-call
    return 0;
}
