// Stores through a global pointer that was never set and so is null.
struct config { int flags[4]; };
static struct config *current;

static void set_flag(int i, int v) {
    current->flags[i] = v; //~ null-deref
}

int main(void) {
    static struct config defaults;
    int ready = defaults.flags[0];
    if (ready)
        current = &defaults;
    set_flag(2, 1);
    return 0;
}
