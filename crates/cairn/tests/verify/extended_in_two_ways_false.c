// The signed and the unsigned extension of a negative number are different indices.
//= unreach: FALSE(unreach-call)
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
static char bytes[600];
int main(void) {
    char *middle = bytes + 300;
    signed char c = __VERIFIER_nondet_char();
    middle[(long)c] = 5;
    if (middle[(unsigned long)(unsigned char)c] != 5)
        reach_error();
    return 0;
}
