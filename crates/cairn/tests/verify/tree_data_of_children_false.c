// What holds of the children does not hold of the root.
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
static void set(struct tree *t, int data) {
  if (!t)
    return;
  t->data = data;
  set(t->left, 1);
  set(t->right, 1);
}
static int all_one(struct tree *t) {
  if (!t)
    return 1;
  return t->data == 1 && all_one(t->left) && all_one(t->right);
}
int main(void) {
  struct tree *t = build();
  set(t, 2);
  if (t && t->left && t->left->right && !all_one(t))
    reach_error();
  return 0;
}
