// What is known of a call does not hold when a function pointer has changed in between.
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
static void keep(struct node *n) { n->data = 2; }
static void drop(struct node *n) { free(n); }
static void (*act)(struct node *) = keep;
static void each(struct node *n) {
  if (!n) return;
  struct node *next = n->next;
  act(n);
  each(next);
}
int main(void) {
  struct node *l = build();
  each(l);
  act = drop;
  each(l);
  if (l)
    l->data = 1;
  return 0;
}
