// The callee returns memory of its own stack.
//= memsafety: FALSE(valid-deref)
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
    return room;
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000)
        return 0;
    int *one = copied(count, 1);
    int *two = copied(count + 1, 2);
    int *three = copied(3, 3);
    int used = one == two || two == three;
    one[count - 1] = 4;
    return used;
}
