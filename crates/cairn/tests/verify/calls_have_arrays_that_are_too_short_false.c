// What the callee returns has one element for each that it was asked for, and the caller uses one more.
//= memsafety: FALSE(valid-deref)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static int *filled(int count, int value) {
    int own[count];
    for (int i = 0; i < count; i++)
        own[i] = value;
    int *copy = malloc(count * sizeof *copy);
    if (!copy)
        abort();
    for (int i = 0; i < count; i++)
        copy[i] = own[i];
    return copy;
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000)
        return 0;
    int *one = filled(count, 1);
    int *two = filled(count + 1, 2);
    int *three = filled(3, 3);
    one[count - 1] = 4;
    two[count + 1] = 5;
    three[2] = 6;
    free(one);
    free(two);
    free(three);
    return 0;
}
