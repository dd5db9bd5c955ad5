// Every node of the tree holds what the recursion wrote.
//= unreach: TRUE
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; int data; };
static struct tree *build(void) {
  if (!__VERIFIER_nondet_int())
    return 0;
  struct tree *t = malloc(sizeof *t);
  if (!t) abort();
  t->data = 5;
  t->left = build();
  t->right = build();
  return t;
}
static void check(struct tree *t) {
  if (!t)
    return;
  if (t->data != 5)
    reach_error();
  check(t->left);
  check(t->right);
}
int main(void) {
  check(build());
  return 0;
}
