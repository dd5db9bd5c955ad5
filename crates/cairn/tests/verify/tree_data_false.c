// One node of the tree, deep down, holds something else.
//= unreach: FALSE(unreach-call)
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
static void check(struct tree *t, int depth) {
  if (!t)
    return;
  if (depth == 3)
    t->data = 6;
  check(t->left, depth + 1);
  check(t->right, depth + 1);
  if (t->data != 5)
    reach_error();
}
int main(void) {
  check(build(), 0);
  return 0;
}
