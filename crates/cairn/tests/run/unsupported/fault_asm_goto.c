// Assembly that may jump to a label.
static int branch(void) {
    int n = 1;
    asm goto("nop" : : : : away); //~ unsupported
    n = 0;
    return n;
away:
    return 2;
}

int main(void) {
    return branch();
}
