// The program ends inside a call, while its callers still have memory.
//= memcleanup: FALSE(valid-memcleanup)
extern void exit(int);
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
static void walk(struct node *n) {
  if (!n) return;
  if (n->data != 1 || __VERIFIER_nondet_int()) exit(1);
  walk(n->next);
}
int main(void) {
  struct node *l = build();
  struct node *m = l;
  walk(m);
  destroy(l);
  return 0;
}
