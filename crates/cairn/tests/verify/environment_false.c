// A variable of the environment has the same value each time, but it may be the empty string.
//= memsafety: FALSE(valid-deref)
extern char *getenv(const char *);
int main(void) {
    char *home = getenv("HOME");
    char *again = getenv("HOME");
    if (again)
        return home[1];
    return 0;
}
