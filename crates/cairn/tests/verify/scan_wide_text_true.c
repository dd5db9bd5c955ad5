// A wide conversion stores four bytes for each character.
//= memsafety: TRUE
//@ short = memsafety: FALSE(valid-deref)
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
int main(void) {
    wchar_t *word = malloc(8 * sizeof *word);
//@ short: wchar_t *word = malloc(7 * sizeof *word);
    if (!word)
        return 1;
    sscanf("abcdefg", "%ls", word);
    free(word);
    return 0;
}
