// strcat grows a string beyond its local buffer.
#include <stdio.h>
#include <string.h>

int main(void) {
    char name[8] = "cairn";
    const char *suffix[] = { "-a", "-b" };
    for (int i = 0; i < 2; i++)
        strcat(name, suffix[i]); //~ out-of-bounds
    puts(name);
    return 0;
}
