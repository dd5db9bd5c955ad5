// The number of arguments is any positive number.
//= memsafety: TRUE
//@ last = memsafety: FALSE(valid-deref)
//      There may be ten arguments.
//@ none = memsafety: FALSE(valid-deref)
//      There may be no argument besides the name of the program.
//@ text = memsafety: FALSE(valid-deref)
//      An argument may be the empty string.
//@ letter = memsafety: FALSE(valid-deref)
//      An argument may begin with any letter.
//@ null = memsafety: FALSE(valid-deref)
//      A null pointer follows the last argument.
//@ long = memsafety: FALSE(valid-deref)
//      The name of the program may be longer than the buffer.
extern char *strcpy(char *, const char *);
int main(int argc, char **argv) {
    int table[10] = {0};
    char name[3];
    if (argc < 10)
//@ last: if (argc <= 10)
//@ none: return argv[1][0];
//@ text: if (argc == 2) return argv[1][1];
//@ letter: if (argc == 2 && argv[1][0] == 'x') return table[10];
//@ null: return argv[argc][0];
//@ long: strcpy(name, argv[0]);
        return table[argc];
    return 0;
}
