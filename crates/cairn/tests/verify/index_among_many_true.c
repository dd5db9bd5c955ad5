// An index with more values than a search could go through one by one: what is read and written is a choice.
//= memsafety: TRUE
//= unreach: TRUE
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);
static unsigned char next[80];
struct pair { int key, value; char tag; } pairs[8];
int main(void) {
    for (int i = 0; i < 80; i++) next[i] = (unsigned char)(79 - i);
    unsigned at = __VERIFIER_nondet_uint() % 80, other = __VERIFIER_nondet_uint();
    if (next[next[at]] != at) __VERIFIER_error();
    next[at] = 7;
    if (next[at] != 7) __VERIFIER_error();
    if (other >= 80) return 0;
    unsigned char before = next[other];
    if (other != at && before != 79 - other) __VERIFIER_error();
    pairs[at / 10].value = 5;
    if (pairs[at / 10].key != 0 || pairs[at / 10].value != 5) __VERIFIER_error();
    return 0;
}
