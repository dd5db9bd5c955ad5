// An object that the callee never sees points to what the callee frees.
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
struct holder { struct node *list; };
int main(void) {
  struct holder *h = malloc(sizeof *h);
  if (!h) abort();
  h->list = build();
  destroy(h->list);
  int x = 0;
  if (h->list)
    x = h->list->data;
  free(h);
  return x;
}
