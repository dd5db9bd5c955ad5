// A global points to a variable of a call that is over.
//= memsafety: FALSE(valid-deref)
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
static void destroy(struct node *n) {
  if (!n)
    return;
  destroy(n->next);
  free(n);
}
static int *deepest;
static void remember(struct node *n, int *mine) {
  int own = 1;
  if (!n) { deepest = mine; return; }
  remember(n->next, &own);
}
int main(void) {
  int mine = 0;
  struct node *l = build();
  remember(l, &mine);
  destroy(l);
  return *deepest;
}
