// The callee stops at a node that its caller still needs.
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
static void destroy_to(struct node *n, struct node *stop) {
  if (n == stop)
    return;
  destroy_to(n->next, stop);
  free(n);
}
int main(void) {
  struct node *last = malloc(sizeof *last);
  if (!last) abort();
  last->next = 0;
  struct node *l = last;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l;
    l = n;
  }
  destroy_to(l, last);
  last->data = 3;
  free(last);
  return 0;
}
