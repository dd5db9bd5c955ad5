// A function expecting a struct by value is called as if it took a pointer.
struct big { long v[6]; };

static long first(struct big b) { return b.v[0]; }

int main(void) {
    struct big b = { { 1, 2, 3, 4, 5, 6 } };
    long (*f)(struct big *) = (long (*)(struct big *))first;
    long r = first(b);
    r += f(&b); //~ invalid-call
    return r == 0;
}
