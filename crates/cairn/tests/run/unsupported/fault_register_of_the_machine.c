// The stack pointer as a variable.
register unsigned long stack_pointer __asm__("rsp");

int main(void) {
    return stack_pointer == 0; //~ unsupported
}
