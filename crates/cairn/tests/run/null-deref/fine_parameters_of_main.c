// Other parameters of main than the standard names: the arguments fit, and those that nobody gives are null.
int main(unsigned long argc, char **argv, char **environment, void *other) {
    return argc != 1 || !argv[0] || argv[1] || environment[0] || other;
}
