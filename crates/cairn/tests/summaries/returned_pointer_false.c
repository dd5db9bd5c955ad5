// A function returns one of its two parameters.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int *choose(int *a, int *b, int which) { return which ? a : b; }
int main(void) {
    int x = 1, y = 2;
    *choose(&x, &y, 1) = 5;
    *choose(&x, &y, 0) = 6;
    if (x == 5 && y == 6) reach_error();
}
