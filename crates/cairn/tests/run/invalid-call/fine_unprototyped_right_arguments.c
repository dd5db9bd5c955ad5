// Calls through an unprototyped pointer with exactly the right arguments.
static int last;

static void set(int a, int b) { last = a - b; }
static void clear(void) { last = 0; }

int main(void) {
    void (*f)() = (void (*)())set;
    f(5, 2);
    if (last != 3) return 1;
    f = (void (*)())clear;
    f();
    return last;
}
