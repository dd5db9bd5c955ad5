// What holds for one number of arguments need not hold for others.
//= memsafety: FALSE(valid-deref)
int main(int argc, char **argv) {
    char buffer[2] = {0};
    buffer[argc] = 1;
    return buffer[0];
}
