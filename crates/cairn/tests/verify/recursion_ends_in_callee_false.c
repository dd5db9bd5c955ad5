// The program ends inside a call, while its callers still have memory.
//= memcleanup: FALSE(valid-memcleanup)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern void exit(int);
extern int __VERIFIER_nondet_int(void);
static void down(int n) {
  if (n <= 0)
    return;
  if (__VERIFIER_nondet_int())
    exit(1);
  down(n - 1);
}
int main(void) {
  int *p = malloc(sizeof *p);
  if (!p)
    abort();
  down(2);
  free(p);
  return 0;
}
