// reach_error is in the program, but the condition for it never holds.
extern void reach_error(void);

int main(void) {
    unsigned x = 0;
    for (int i = 0; i < 100; i++)
        x += 2;
    if (x % 2 != 0)
        reach_error();
    return 0;
}
