// A parameter points to a global variable in the second call.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int count;
int set(int *p) {
    count = 5;
    *p = 6;
    return count;
}
int main(void) {
    int x = 0;
    if (set(&x) != 5) return 0;
    if (set(&count) == 6) reach_error();
}
