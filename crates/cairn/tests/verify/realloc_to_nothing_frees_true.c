// In a verification task realloc to no bytes frees the object and returns null, as in glibc.
//= memsafety: TRUE
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
int main(void) {
    char *p = malloc(4);
    p = realloc(p, 0);
    if (p)
        p[7] = 1;
    return 0;
}
