// Only the left branch is freed.
//= memsafety: FALSE(valid-memtrack)
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
  free(t);
}
int main(void) {
  destroy(build());
  return 0;
}
