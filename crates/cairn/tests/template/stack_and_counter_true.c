// A counter holds the height of a stack: the top exists if the counter is not 0, and its number is one less.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct plate { int number; struct plate *below; };
int main(void) {
    struct plate *top = 0;
    int height = 0;
    while (__VERIFIER_nondet_int()) {
        if (height < 500 && __VERIFIER_nondet_int()) {
            struct plate *one = malloc(sizeof *one);
            one->number = height++;
            one->below = top;
            top = one;
        } else if (height > 0) {
            if (top->number != height - 1) reach_error();
            top = top->below;
            height--;
        }
    }
}
