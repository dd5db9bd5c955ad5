// A list is built and walked and never freed.
//= memcleanup: FALSE(valid-memcleanup)
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
static void walk(struct node *n) {
  if (!n) return;
  walk(n->next);
}
int main(void) {
  struct node *l = build();
  walk(l);
  return 0;
}
