// main with argc and argv, and a return value above 255.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

static int count_args(char **argv)
{
    int n = 0;
    while (*argv++)
        n++;
    return n;
}

int main(int argc, char *argv[])
{
    printf("%d\n", argc);
    printf("%d %d\n", count_args(argv), argv[argc] == NULL);
    printf("%d\n", strlen(argv[0]) > 0);
    char **walk = argv;
    walk += argc;
    printf("%td\n", walk - argv);
    assert(argc == 1);
    assert(argv != 0 && "argv is set");
    argc += 5;
    printf("%d\n", argc);
    argv = 0;
    printf("%d\n", argv == NULL);
    const char *home = getenv("CAIRN_SURELY_UNSET_VARIABLE");
    printf("%d\n", home == NULL);
    return 1000;
}
