// Each function calls the next one twice: a million walks along the list.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      Each function calls the next one twice; after some walks one of them loses what follows.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static void level0(struct node *list) {
    for (; list; list = list->next)
        list->data++;
//@ lost:
//@ lost+ if (list->next && list->next->next && list->data == 4) {
//@ lost+ free(list->next);
//@ lost+ list->next = 0;
//@ lost+ return;
//@ lost+ } else {
//@ lost+ list->data++;
//@ lost+ }
}

static void level1(struct node *list) {
    level0(list);
    level0(list);
}

static void level2(struct node *list) {
    level1(list);
    level1(list);
}

static void level3(struct node *list) {
    level2(list);
    level2(list);
}

static void level4(struct node *list) {
    level3(list);
    level3(list);
}

static void level5(struct node *list) {
    level4(list);
    level4(list);
}

static void level6(struct node *list) {
    level5(list);
    level5(list);
}

static void level7(struct node *list) {
    level6(list);
    level6(list);
}

static void level8(struct node *list) {
    level7(list);
    level7(list);
}

static void level9(struct node *list) {
    level8(list);
    level8(list);
}

static void level10(struct node *list) {
    level9(list);
    level9(list);
}

static void level11(struct node *list) {
    level10(list);
    level10(list);
}

static void level12(struct node *list) {
    level11(list);
    level11(list);
}

static void level13(struct node *list) {
    level12(list);
    level12(list);
}

static void level14(struct node *list) {
    level13(list);
    level13(list);
}

static void level15(struct node *list) {
    level14(list);
    level14(list);
}

static void level16(struct node *list) {
    level15(list);
    level15(list);
}

static void level17(struct node *list) {
    level16(list);
    level16(list);
}

static void level18(struct node *list) {
    level17(list);
    level17(list);
}

static void level19(struct node *list) {
    level18(list);
    level18(list);
}

static void level20(struct node *list) {
    level19(list);
    level19(list);
}

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        node->data = 1;
        list = node;
    }
    level20(list);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
