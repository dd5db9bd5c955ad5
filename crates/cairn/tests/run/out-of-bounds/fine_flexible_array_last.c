// Uses the very last element of a flexible array member.
#include <stdio.h>
#include <stdlib.h>

struct vec { int len; int data[]; };

int main(void) {
    int n = 6;
    struct vec *v = malloc(sizeof *v + n * sizeof v->data[0]);
    if (!v) return 1;
    v->len = n;
    for (int i = 0; i < v->len; i++)
        v->data[i] = i;
    printf("%d\n", v->data[v->len - 1]);
    free(v);
    return 0;
}
