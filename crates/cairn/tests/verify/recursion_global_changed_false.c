// The callee moves a global on, perhaps to null.
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
static void destroy(struct node *n) {
  if (!n)
    return;
  destroy(n->next);
  free(n);
}
struct node *current;
static void advance(int times) {
  if (times <= 0 || !current)
    return;
  struct node *next = current->next;
  free(current);
  current = next;
  advance(times - 1);
}
int main(void) {
  current = build();
  int had = current != 0;
  advance(2);
  if (had)
    current->data = 5;
  destroy(current);
  return 0;
}
