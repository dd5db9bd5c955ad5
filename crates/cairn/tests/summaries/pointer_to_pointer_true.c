// A function redirects a pointer of its caller.
//= unreach: TRUE
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void redirect(int **a, int *b) { *a = b; }
int main(void) {
    int x = 1, y = 2;
    int *p = &x;
    redirect(&p, &y);
    *p = 9;
    if (y != 9 || x != 1) reach_error();
}
