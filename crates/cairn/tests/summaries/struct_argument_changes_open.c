// The copy of a struct argument is gone when the call returns.
//= deref: OPEN
struct pair { int *first, *second; };
static int one, two;
static void pass(int **result, struct pair pair, int depth) {
    if (depth == 0) {
        *result = pair.first;
        return;
    }
    pair.first = &two;
    pass(result, pair, depth - 1);
}
int main(void) {
    struct pair pair = {&one, &one};
    int *result = &one;
    pass(&result, pair, 25000);
    int *none = 0;
    *none = 1;
    return 0;
}
