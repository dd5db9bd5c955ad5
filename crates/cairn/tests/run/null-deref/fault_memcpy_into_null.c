// Copies bytes into a null destination.
void *memcpy(void *, const void *, unsigned long);

struct packet { unsigned char *payload; unsigned long len; };

static void fill(struct packet *p, const char *src) {
    memcpy(p->payload, src, p->len); //~ null-deref
}

int main(void) {
    struct packet p = { .len = 4 };
    fill(&p, "data");
    return 0;
}
