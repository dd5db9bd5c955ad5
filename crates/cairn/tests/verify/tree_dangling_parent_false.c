// A child is freed after its parent, and looks at it.
//= memsafety: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right, *parent; };
static struct tree *build(void) {
  if (!__VERIFIER_nondet_int())
    return 0;
  struct tree *t = malloc(sizeof *t);
  if (!t) abort();
  t->parent = 0;
  t->left = build();
  if (t->left)
    t->left->parent = t;
  t->right = build();
  if (t->right)
    t->right->parent = t;
  return t;
}
static void destroy(struct tree *t) {
  if (!t)
    return;
  if (t->parent && t->parent->left == t)
    t->parent = 0;
  struct tree *left = t->left, *right = t->right;
  free(t);
  destroy(left);
  destroy(right);
}
int main(void) {
  destroy(build());
  return 0;
}
