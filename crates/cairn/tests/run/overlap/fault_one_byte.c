// The two regions have just one byte in common.
void *memcpy(void *, const void *, unsigned long);

static unsigned char pool[16];

static void dup(unsigned char *at, unsigned long gap, unsigned long len) {
    memcpy(at + gap, at, len); //~ overlap
}

int main(void) {
    for (int i = 0; i < 16; i++)
        pool[i] = (unsigned char)i;
    dup(pool, 8, 8);
    dup(pool, 7, 8);
    return 0;
}
