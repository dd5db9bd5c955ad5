// The first variable does not exist at the second call of the same function.
//= deref: OPEN
static int one, two;
static void start(int depth);
static void change(int **at, int depth) {
    *at = &two;
    if (depth > 0)
        start(depth - 1);
}
static void start(int depth) {
    {
        int *first = &one;
        change(&first, 0);
    }
    {
        int *second = &one;
        change(&second, depth);
    }
    int *last = depth == 0 ? 0 : &one;
    *last = 1;
}
int main(void) {
    start(15000);
    return 0;
}
