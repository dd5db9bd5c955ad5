// The bytes that realloc cut off have no value after it adds them again.
//= unreach: FALSE(unreach-call)
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
int main(void) {
    char *text = malloc(8);
    if (!text)
        return 0;
    memset(text, 1, 8);
    text = realloc(text, 4);
    if (!text)
        return 0;
    text = realloc(text, 8);
    if (!text)
        return 0;
    if (text[6] != 1)
        reach_error();
    free(text);
    return 0;
}
