// The call that ends the recursion forgets the last node.
//= memsafety: FALSE(valid-memtrack)
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
static void destroy_all_but_last(struct node *n) {
  if (!n || !n->next)
    return;
  struct node *next = n->next;
  free(n);
  destroy_all_but_last(next);
}
int main(void) {
  destroy_all_but_last(build());
  return 0;
}
