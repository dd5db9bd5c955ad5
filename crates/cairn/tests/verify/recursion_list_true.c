// A list is built, walked and freed by functions that call themselves.
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
static int sum(struct node *n) {
  return n ? (n->data & 1) + sum(n->next) : 0;
}
int main(void) {
  struct node *l = build();
  int s = sum(l);
  destroy(l);
  return s > 100;
}
