// The callee frees both lists in turns, and the caller frees one of them again.
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
static void destroy_one(struct node *a, struct node *b) {
  if (!a) return;
  struct node *next = a->next;
  free(a);
  destroy_one(b, next);
}
static void destroy(struct node *n) {
  if (!n) return;
  destroy(n->next);
  free(n);
}
int main(void) {
  struct node *a = build(), *b = build();
  int second = b != 0 && a != 0;
  destroy_one(a, b);
  if (second)
    destroy(b);
  return 0;
}
