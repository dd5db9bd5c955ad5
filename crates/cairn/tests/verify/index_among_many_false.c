// Of two hundred entries one leads out of the array.
//= memsafety: FALSE(valid-deref)
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned char next[200];
int main(void) {
    for (int i = 0; i < 200; i++) next[i] = (unsigned char)(i == 123 ? 200 : 199 - i);
    unsigned at = __VERIFIER_nondet_uint();
    if (at < 200) next[next[at]] = 1;
    return 0;
}
