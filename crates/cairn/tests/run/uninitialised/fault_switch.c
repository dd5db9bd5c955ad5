// A switch decides on a value computed from an uninitialised one.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    short *s = malloc(2 * sizeof *s);
    if (!s) return 1;
    s[0] = 4;
    int v = s[0] + s[1];
    int r;
    switch (v) { //~ uninitialised
    case 4: r = 0; break;
    case 5: r = 2; break;
    default: r = 3;
    }
    free(s);
    return r > 3;
}
