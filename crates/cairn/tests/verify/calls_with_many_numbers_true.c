// A function is called with more numbers than it is analysed for; what it returns fits each.
//= memsafety: TRUE
//@ mixed_up = memsafety: FALSE(valid-deref)
//      A function is called with more numbers than it is analysed for; what it returns for one is used like that for another.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static int *make(int count) {
    int *room = malloc(count * sizeof *room);
    if (!room)
        abort();
    for (int i = 0; i < count; i++)
        room[i] = i;
    return room;
}

static void use(int count) {
    int *room = make(count);
    room[count - 1] = 1;
    free(room);
}

int main(void) {
    use(1);
    use(2);
    use(3);
    use(4);
    use(5);
    use(6);
    use(7);
    use(8);
    use(9);
    use(10);
    int *room = make(11);
    room[10] = 1;
    free(room);
    room = make(12);
//@ mixed_up: room = make(11);
    room[11] = 1;
    free(room);
    return 0;
}
