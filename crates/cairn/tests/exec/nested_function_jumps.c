// Nested functions jump to labels of the functions around them.
#include <stdio.h>

static int find(int *a, int n, int want) {
    __label__ found, missing;
    int where = -1;
    void visit(int i) {
        if (i >= n)
            goto missing;
        if (a[i] == want) {
            where = i;
            goto found;
        }
        visit(i + 1);
    }
    visit(0);
missing:
    return -1;
found:
    return where;
}

static void each(int n, void (*f)(int)) {
    for (int i = 0; i < n; i++)
        f(i);
}

static int out_of_blocks(int n) {
    __label__ out;
    int r = 0;
    void check(int k) {
        if (k == 3) {
            r = k;
            goto out;
        }
    }
    for (int i = 0; i < n; i++) {
        int row[i + 1];
        row[i] = i;
        {
            int inner = row[i];
            check(inner);
            r += 10;
        }
    }
    r = -1;
out:
    return r;
}

static int again_and_again(void) {
    int count = 0;
again:;
    {
        __label__ back;
        void leave(void) { goto back; }
        count++;
        if (count < 4)
            leave();
        return count;
    back:
        count += 10;
        goto again;
    }
}

static int two_levels(void) {
    __label__ end;
    int v = 1;
    void outer(void) {
        void inner(void) {
            v = 7;
            goto end;
        }
        inner();
        v = 8;
    }
    outer();
    v = 9;
end:
    return v;
}

int main(void) {
    __label__ done;
    int a[] = { 5, 3, 9 };
    printf("%d %d\n", find(a, 3, 9), find(a, 3, 4));
    printf("%d %d %d %d\n", out_of_blocks(2), out_of_blocks(5), again_and_again(), two_levels());
    int total = 0;
    void add(int i) {
        total += i;
        if (total > 5)
            goto done;
    }
    each(100, add);
    puts("not reached");
done:
    printf("%d\n", total);
    for (int r = 0; r < 3; r++) {
        __label__ next;
        void skip(void) { goto next; }
        if (r == 1)
            skip();
        printf("r%d\n", r);
    next:;
    }
    return 0;
}
