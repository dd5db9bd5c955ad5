// The global buffer is freed before main returns.
void *malloc(unsigned long);
void free(void *);

char *buffer;

int main(void) {
    buffer = malloc(100);
    if (!buffer) return 1;
    buffer[0] = 1;
    free(buffer);
    return 0;
}
