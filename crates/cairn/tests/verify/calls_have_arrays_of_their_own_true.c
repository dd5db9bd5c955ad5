// The callee has an array of variable size and memory of the stack, which die with it; what it returns is a copy.
//= memsafety: TRUE
//@ returned = memsafety: FALSE(valid-deref)
//      The callee returns memory of its own stack.
//@ too_short = memsafety: FALSE(valid-deref)
//      What the callee returns has one element for each that it was asked for, and the caller uses one more.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static int *copied(int count, int value) {
    int own[count];
    int *room = __builtin_alloca(count * sizeof *room);
    for (int i = 0; i < count; i++)
        room[i] = own[i] = value;
    int *copy = malloc(count * sizeof *copy);
    if (!copy)
        abort();
    for (int i = 0; i < count; i++)
        copy[i] = own[i] + room[i];
    return copy;
//@ returned: free(copy);
//@ returned+ return room;
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000)
        return 0;
    int *one = copied(count, 1);
    int *two = copied(count + 1, 2);
    int *three = copied(3, 3);
    one[count - 1] = 4;
    two[count] = 5;
//@ too_short: two[count + 1] = 5;
    three[2] = 6;
    free(one);
//@ returned:
    free(two);
//@ returned:
    free(three);
//@ returned:
    return 0;
}
