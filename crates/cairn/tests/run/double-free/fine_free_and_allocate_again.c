// The same variable is freed several times, each time with a new block.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    for (int i = 1; i < 6; i++) {
        char *p = malloc(i);
        if (!p) return 1;
        p[i - 1] = (char)i;
        free(p);
        p = malloc(i);
        free(p);
    }
    return 0;
}
