// The same for a compound literal, a bit-field and `{0}`, which initialises the first member only.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
union bits { unsigned small : 3; unsigned char byte; int whole; };
union first { char c; int i; };
static int sum(const union bits *b) { return b->small; }
int main(void) {
    union first zero = { 0 };
    if (sum(&(union bits){ .small = 5 }) != 5 || zero.c != 0)
        return 0;
    union bits copy = (union bits){ .small = 5 };
    if (copy.byte == 0xfd && zero.i == 0x01020300)
        reach_error();
    return 0;
}
