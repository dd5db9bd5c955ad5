// The nodes of the tree point to their parents, and are cut off from them before they are freed.
//= memsafety: TRUE
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
  if (t->left)
    t->left->parent->left->parent = 0;
  if (t->right)
    t->right->parent = 0;
  destroy(t->left);
  destroy(t->right);
  free(t);
}
int main(void) {
  struct tree *t = build();
  destroy(t);
  return 0;
}
