// An uninitialised index selects an array element.
static int table[256];

static int pick(const unsigned char *keys, int n) {
    return table[keys[n]]; //~ uninitialised
}

int main(void) {
    unsigned char keys[4];
    keys[0] = 1;
    keys[1] = 2;
    int r = pick(keys, 0) + pick(keys, 1);
    r += pick(keys, 2);
    return r;
}
