// A function with assembly is defined and its address is taken, but it is not called.
static int calls;

static void halt(void) { asm volatile("hlt"); }
static void plain(void) { calls++; }

int main(void) {
    void (*hooks[2])(void) = { plain, halt };
    hooks[0]();
    return hooks[1] == plain || calls != 1;
}
