// Writes a bit-field of a struct reached through a null pointer.
struct flags { unsigned a : 3; unsigned b : 5; };
union view { struct flags *f; void *raw; };

int main(void) {
    union view v;
    v.raw = 0;
    int i = 0;
again:
    if (i++ < 3)
        goto again;
    v.f->b = 7; //~ null-deref
    return 0;
}
