// Calls a global array of bytes as if it were a function.
static unsigned char code[4] = { 0xc3, 0xc3, 0xc3, 0xc3 };

union any { void *data; int (*fn)(void); };

int main(void) {
    union any a;
    a.data = code;
    int r = a.fn(); //~ invalid-call
    return r;
}
