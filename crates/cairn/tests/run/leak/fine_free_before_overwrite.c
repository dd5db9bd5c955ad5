// The first block is freed before its pointer is overwritten.
extern void *malloc(unsigned long);
extern void free(void *);

int main(void) {
    char *p = malloc(10);
    if (!p) return 1;
    p[0] = 'a';
    free(p);
    p = malloc(20);
    if (!p) return 1;
    p[0] = 'b';
    free(p);
    return 0;
}
