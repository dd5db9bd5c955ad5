// Assembly inside a function that is called through a pointer.
typedef void (*hook)(int *);

static void plain(int *n) { (*n)++; }
static void pause_cpu(int *n) {
    (*n)++;
    asm volatile("nop\n\tnop" ::: "memory"); //~ unsupported
}

int main(void) {
    hook hooks[] = { plain, pause_cpu };
    int n = 0;
    for (int i = 0; i < 2; i++)
        hooks[i](&n);
    return n - 2;
}
