// Frees the same pointer twice.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    char *p = malloc(10);
    if (!p) return 1;
    p[0] = 1;
    free(p);
    free(p); //~ double-free
    return 0;
}
