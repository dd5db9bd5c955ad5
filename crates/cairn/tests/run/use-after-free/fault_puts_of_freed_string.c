// Prints a string that was freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *words[2] = { strdup("alpha"), strdup("beta") };
    if (!words[0] || !words[1]) return 1;
    for (int i = 0; i < 2; i++) {
        free(words[i]);
        puts(words[0]); //~ use-after-free
    }
    return 0;
}
