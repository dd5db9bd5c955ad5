// A hash table: an array of four lists of any length. What the table still holds at the end is not lost.
//= memsafety: TRUE
//@ early = memsafety: FALSE(valid-deref)
//      A node is read after it was freed.
//@ lost = memsafety: FALSE(valid-memtrack)
//      The list that was there is lost when a node is put in front of it.
//@ beyond = memsafety: FALSE(valid-deref)
//      What lies behind the table is taken for a list.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; int key; };
struct node *table[4];
int main(void) {
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->key = __VERIFIER_nondet_int();
        unsigned at = (unsigned)node->key % 4;
        node->next = table[at];
//@ lost: node->next = 0;
        table[at] = node;
    }
    int key = __VERIFIER_nondet_int();
    for (struct node *node = table[(unsigned)key % 4]; node; node = node->next)
        if (node->key == key) break;
    for (int i = 0; i < 4; i++)
//@ beyond: for (int i = 0; i <= 4; i++)
        while (table[i]) {
            struct node *node = table[i];
            table[i] = node->next;
//@ early: free(node);
            free(node);
//@ early: table[i] = node->next;
        }
}
