// As in `ages_in_range_true.c`, but a birthday leads one year out of the range.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct person { struct person *next; int age; };
int main(void) {
    struct person *all = 0;
    while (__VERIFIER_nondet_int()) {
        int age = __VERIFIER_nondet_int();
        if (age < 18 || age > 65) continue;
        struct person *p = malloc(sizeof *p);
        p->age = age;
        p->next = all;
        all = p;
    }
    for (struct person *p = all; p; p = p->next) {
        if (p->age <= 65) p->age++;
        if (p->age < 18 || p->age > 65) reach_error();
    }
}
