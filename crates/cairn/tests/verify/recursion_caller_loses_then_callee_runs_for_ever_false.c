// Memory is lost before a call that never returns.
//= memsafety: FALSE(valid-memtrack)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
static struct node *build(void) {
  if (!__VERIFIER_nondet_int())
    return 0;
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->data = 1;
  n->next = build();
  return n;
}
static void forever(int n) {
  forever(n + 1);
}
int main(void) {
  struct node *l = malloc(sizeof *l);
  if (!l) abort();
  l = 0;
  if (__VERIFIER_nondet_int()) return 0;
  forever(0);
  return 0;
}
