// Assembly computes a value.
static int add_one(int x) {
    int r;
    __asm__("mov %1, %0" : "=r"(r) : "r"(x)); //~ unsupported
    return r + 1;
}

int main(void) {
    return add_one(4) - 5;
}
