// The callee counts in a variable of its caller.
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
static void count(struct node *n, int *total) {
  if (!n) return;
  *total = *total + 1;
  count(n->next, total);
}
int main(void) {
  int total = 0;
  struct node *l = build();
  count(l, &total);
  destroy(l);
  return total == 3;
}
