// Neighbours of a bit-field keep their values.
//= unreach: TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct flags { unsigned a : 3, b : 7, c : 22; };
int main(void) {
    struct flags f = { 5, 100, 0x12345 };
    f.b = __VERIFIER_nondet_int();
    if (f.a != 5 || f.c != 0x12345 || f.b > 127)
        reach_error();
    return 0;
}
