// goto into and out of blocks, backward loops with block-scoped arrays.
#include <stdio.h>
#include <string.h>

static int into(int start)
{
    int n = 0;
    if (start)
        goto inside;
    for (n = 100; n < 103; n++) {
        int local;
inside:
        local = n * 2;
        printf("%d ", local);
        if (start && n >= 2)
            break;
    }
    putchar('\n');
    return n;
}

static int cleanup(int fail)
{
    int rc = 0;
    if (fail == 1)
        goto out1;
    rc += 1;
    if (fail == 2)
        goto out2;
    rc += 10;
out2:
    rc += 100;
out1:
    rc += 1000;
    return rc;
}

int main(void)
{
    printf("%d\n", into(0));
    printf("%d\n", into(1));
    printf("%d %d %d\n", cleanup(0), cleanup(1), cleanup(2));
    int i = 0;
again:
    {
        char word[8] = "ab";
        int sq[3] = { i };
        word[i] = 'X';
        sq[1] += i;
        printf("%s %d %d\n", word, sq[0], sq[1]);
    }
    if (++i < 3)
        goto again;
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            if (a * b == 6) {
                printf("found %d %d\n", a, b);
                goto done;
            }
done:;
    int k = 3;
    goto middle;
    while (k > 0) {
        printf("top ");
middle:
        printf("k=%d ", k--);
    }
    putchar('\n');
    if (0) {
never:
        puts("jumped into if(0)");
    } else if (k == 0) {
        k = -1;
        goto never;
    }
    return 0;
}
