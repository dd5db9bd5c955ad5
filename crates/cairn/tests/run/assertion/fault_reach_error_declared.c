// Calls reach_error, which is only declared.
extern void reach_error(void);

static int square(int x) { return x * x; }

int main(void) {
    int x = -3;
    if (square(x) > 8)
        reach_error(); //~ assertion
    return 0;
}
