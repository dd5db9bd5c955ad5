// A function frees an object that its caller uses afterwards.
//= deref: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
};
void drop(struct node *a) { free(a); }
int main(void) {
    struct node *p = malloc(sizeof *p);
    drop(p);
    p->data = 1;
}
