// A function keeps its parameter in a global variable, and another one writes through that.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      What the function has kept is used later.
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
