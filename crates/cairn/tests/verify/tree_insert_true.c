// Nodes are added to a search tree by a function that calls itself.
//= memsafety: TRUE
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
static void destroy(struct tree *t) {
  if (!t)
    return;
  destroy(t->left);
  destroy(t->right);
  free(t);
}
static struct tree *insert(struct tree *t, int data) {
  if (!t) {
    t = malloc(sizeof *t);
    if (!t) abort();
    t->left = t->right = 0;
    t->data = data;
    return t;
  }
  if (data < t->data)
    t->left = insert(t->left, data);
  else
    t->right = insert(t->right, data);
  return t;
}
int main(void) {
  struct tree *root = 0;
  while (__VERIFIER_nondet_int())
    root = insert(root, __VERIFIER_nondet_int());
  destroy(root);
  return 0;
}
