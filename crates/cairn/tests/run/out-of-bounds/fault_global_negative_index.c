// Writes below the start of a global array through a negative index.
static short before[4];
static short table[4];

static void store(int i, short v) {
    table[i] = v; //~ out-of-bounds
}

int main(void) {
    before[0] = 1;
    for (int i = 3; i >= -1; i--)
        store(i, (short)i);
    return before[0] - 1;
}
