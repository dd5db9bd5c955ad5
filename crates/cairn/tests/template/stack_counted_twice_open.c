// A node counted twice leaves the counter above 0 for an empty stack: null is dereferenced, which is not a requested check.
//= unreach: OPEN
//: points-to,intervals,nullness,relative,neighbours
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct plate { int number; struct plate *below; };
int main(void) {
    struct plate *top = 0;
    int height = 0, lost = 0;
    while (__VERIFIER_nondet_int()) {
        if (height < 500 && __VERIFIER_nondet_int()) {
            struct plate *one = malloc(sizeof *one);
            one->number = height++;
            if (height == 7) height++;
            one->below = top;
            top = one;
        } else if (height > 0) {
            lost += top->number < 0;
            top = top->below;
            height--;
        }
        if (lost > 0) reach_error();
    }
}
