// Binary search tree: insert, traverse, delete, height, free; iterative walk.
#include <stdio.h>
#include <stdlib.h>

typedef struct tree { int key; struct tree *kid[2]; } tree;

static void insert(tree **t, int key)
{
    while (*t) {
        if ((*t)->key == key)
            return;
        t = &(*t)->kid[key > (*t)->key];
    }
    *t = calloc(1, sizeof **t);
    (*t)->key = key;
}

static int height(const tree *t)
{
    if (!t)
        return 0;
    int l = height(t->kid[0]), r = height(t->kid[1]);
    return 1 + (l > r ? l : r);
}

static void inorder(const tree *t)
{
    if (!t)
        return;
    inorder(t->kid[0]);
    printf("%d ", t->key);
    inorder(t->kid[1]);
}

static int erase(tree **t, int key)
{
    while (*t && (*t)->key != key)
        t = &(*t)->kid[key > (*t)->key];
    tree *dead = *t;
    if (!dead)
        return 0;
    if (dead->kid[0] && dead->kid[1]) {
        tree **min = &dead->kid[1];
        while ((*min)->kid[0])
            min = &(*min)->kid[0];
        dead->key = (*min)->key;
        t = min;
        dead = *min;
    }
    *t = dead->kid[0] ? dead->kid[0] : dead->kid[1];
    free(dead);
    return 1;
}

static void release(tree *t)
{
    if (t) {
        release(t->kid[0]);
        release(t->kid[1]);
        free(t);
    }
}

int main(void)
{
    tree *root = NULL;
    for (int i = 0, k = 17; i < 20; i++, k = (k * 31 + 7) % 101)
        insert(&root, k);
    inorder(root);
    printf("| height %d\n", height(root));
    int keys[] = { 17, 5, 999, 30 };
    for (int i = 0; i < 4; i++)
        printf("%d ", erase(&root, keys[i]));
    putchar('\n');
    tree *stack[32], *t = root;
    int sp = 0;
    while (t || sp) {
        for (; t; t = t->kid[0])
            stack[sp++] = t;
        t = stack[--sp];
        printf("%d ", t->key);
        t = t->kid[1];
    }
    printf("| height %d\n", height(root));
    release(root);
    return 0;
}
