// The value is copied through memcpy and assignment, which is allowed, and then tested.
void *memcpy(void *, const void *, unsigned long);

struct box { int full; int value; };

int main(void) {
    struct box a, b, c;
    a.full = 0;
    memcpy(&b, &a, sizeof b);
    c = b;
    int v = c.value;
    if (c.full || v) //~ uninitialised
        return 0;
    return 0;
}
