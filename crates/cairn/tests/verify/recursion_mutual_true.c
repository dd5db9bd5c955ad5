// Two functions free a list in turns.
//= memsafety: TRUE
//@ frees_twice = memsafety: FALSE(valid-free)
//      Two functions free a list in turns, and one of them frees what the other has freed.
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
static void odd(struct node *n);
static void even(struct node *n) {
  if (!n) return;
  struct node *next = n->next;
  free(n);
  odd(next);
}
static void odd(struct node *n) {
  if (!n) return;
  even(n->next);
//@ frees_twice: struct node *next = n->next;
  free(n);
//@ frees_twice: even(n);
//@ frees_twice+ if (next) free(next);
}
int main(void) {
  even(build());
  return 0;
}
