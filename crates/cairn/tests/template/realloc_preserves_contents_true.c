// realloc to a larger size preserves the contents.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct pair { int low, high; };
int main(void) {
    struct pair *all = malloc(sizeof *all);
    all->low = 3;
    all->high = 9;
    while (__VERIFIER_nondet_int()) {
        if (all->low < all->high) all->low++;
    }
    all = realloc(all, 4 * sizeof *all);
    if (all->low > all->high || all->high != 9) reach_error();
    all[1].low = 5;
    if (all[1].low != 5) reach_error();
}
