// Frees on an error path in a callee, and the caller writes on regardless.
void *malloc(unsigned long);
void free(void *);

struct item { short tag; long body[3]; };

static int validate(struct item *it) {
    if (it->tag < 0)
        goto bad;
    return 1;
bad:
    free(it);
    return 0;
}

int main(void) {
    struct item *it = malloc(sizeof *it);
    if (!it) return 1;
    it->tag = -3;
    int ok = validate(it);
    it->body[ok] = 9; //~ use-after-free
    free(it);
    return 0;
}
