// A char may lie anywhere.
//= memsafety: FALSE(valid-deref)
int main(void) {
    char a = 0, b = 0;
    if (((unsigned long)&a & 15) != 0 || ((unsigned long)&b & 15) != 0)
        *(int *)0 = 1;
    return a + b;
}
