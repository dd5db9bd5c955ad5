// There is assembly in the program, but the branch with it is not taken.
#include <stdio.h>

int main(int argc, char **argv) {
    int level = 0;
    for (int i = 0; i < 10; i++)
        level += i & 1;
    if (level > 5)
        __asm__ volatile("nop");
    printf("%d\n", level);
    return 0;
}
