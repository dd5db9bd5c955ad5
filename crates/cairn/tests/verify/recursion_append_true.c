// Two lists become one, by a function that goes to the end of the first.
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
static struct node *append(struct node *n, struct node *last) {
  if (!n)
    return last;
  n->next = append(n->next, last);
  return n;
}
int main(void) {
  struct node *l = append(build(), build());
  destroy(l);
  return 0;
}
