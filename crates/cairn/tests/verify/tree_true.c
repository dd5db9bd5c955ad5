// A tree is built, walked, changed and freed by functions that call themselves.
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
static int sum(struct tree *t) {
  return t ? (t->data & 7) + sum(t->left) + sum(t->right) : 0;
}
static void mirror(struct tree *t) {
  if (!t)
    return;
  struct tree *left = t->left;
  t->left = t->right;
  t->right = left;
  t->data = 3;
  mirror(t->left);
  mirror(t->right);
}
int main(void) {
  struct tree *t = build();
  mirror(t);
  int s = sum(t);
  destroy(t);
  return s > 100;
}
