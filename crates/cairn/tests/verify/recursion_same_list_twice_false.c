// What is known of a call on two lists does not hold of a call on one list twice.
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
static void destroy2(struct node *a, struct node *b) {
  if (a) { struct node *next = a->next; free(a); destroy2(next, b); return; }
  if (b) { struct node *next = b->next; free(b); destroy2(a, next); return; }
}
int main(void) {
  destroy2(build(), build());
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->next = 0;
  if (__VERIFIER_nondet_int())
    destroy2(n, n);
  else
    free(n);
  return 0;
}
