// Frees a local array.
extern void free(void *);

int main(void) {
    char buf[16];
    char *p = buf;
    buf[0] = 'x';
    free(p); //~ invalid-free
    return 0;
}
