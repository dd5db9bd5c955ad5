// reach_error is called through a function pointer.
extern void reach_error(void);

static void fine(void) {}

int main(void) {
    void (*table[2])(void) = { fine, reach_error };
    for (int i = 0; i < 2; i++)
        table[i](); //~ assertion
    return 0;
}
