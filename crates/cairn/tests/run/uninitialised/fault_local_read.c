// Reading a local variable whose address is never taken is a fault, even if its value is only copied.
int main(void) {
    int a;
    int b = 0;
    if (b == 0)
        b = a; //~ uninitialised
    return 0;
}
