// The contents of a list are an index, which templates prove, and all of its nodes are freed, which shapes prove.
//= memsafety: TRUE
//@ not_the_greatest = memsafety: FALSE(valid-deref)
//      A number in the list may be greater than the greatest that is known.
//@ one_is_kept = memsafety: FALSE(valid-memtrack)
//      A node is lost when the list is freed.
//@ too_late = memsafety: FALSE(valid-deref)
//      A node is used after it was freed.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

struct part {
    int kind;
    struct part *next;
};

int main(void) {
    int table[8] = { 0 };
    struct part *all = 0;
    int greatest = 0;
    while (__VERIFIER_nondet_int()) {
        int kind = __VERIFIER_nondet_int();
        if (kind < 0 || kind > 7) continue;
        struct part *part = malloc(sizeof *part);
        part->kind = kind;
        if (kind > greatest) greatest = kind;
        //@ not_the_greatest: if (kind > greatest + 1) greatest = kind;
        part->next = all;
        all = part;
    }
    int sum = 0;
    for (struct part *part = all; part; part = part->next) sum ^= table[greatest - part->kind];
    while (all) {
        struct part *next = all->next;
        free(all);
        //@ one_is_kept: if (all->kind != 3) free(all);
        //@ too_late+ sum ^= all->kind;
        all = next;
    }
    return sum;
}
