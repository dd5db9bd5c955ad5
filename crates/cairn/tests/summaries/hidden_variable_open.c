// One call hides a variable that another call of the summary changes. The rows about it must not exclude that the call returns.
//= deref: OPEN
static int one, two;
static void copy(int **from, int **to, int depth) {
    if (depth == 0)
        return;
    copy(from, from, depth - 1);
    *to = *from;
    int *none = 0;
    *none = 1;
}
int main(void) {
    int *a = &one, *b = &two;
    copy(&a, &b, 15000);
    return 0;
}
