// A function stores its parameter in a global variable, and another function writes through it.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The assertion denies the write through the stored pointer.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int *kept;
void keep(int *p) { kept = p; }
void change(void) { *kept = 3; }
int main(void) {
    int x = 0;
    keep(&x);
    change();
    if (x != 3) reach_error();
//@ broken: if (x == 3) reach_error();
}
