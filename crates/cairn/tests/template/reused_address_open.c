// The address of a freed object may be reused.
//= unreach: OPEN
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    char *p = malloc(8);
    free(p);
    char *q = malloc(8);
    if (p == q) reach_error();
    free(q);
}
