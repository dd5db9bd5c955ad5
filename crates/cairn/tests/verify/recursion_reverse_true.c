// A list is turned around with a second argument that grows.
//= memsafety: TRUE
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
static struct node *reverse(struct node *n, struct node *done) {
  if (!n)
    return done;
  struct node *rest = n->next;
  n->next = done;
  return reverse(rest, n);
}
int main(void) {
  struct node *l = reverse(build(), 0);
  destroy(l);
  return 0;
}
