// Copies exactly the size of the struct, from a buffer that is larger.
#include <stdio.h>
#include <string.h>

struct small { char head[4]; int body; };

int main(void) {
    char src[32] = { 'a', 'b', 'c', 0, 1, 0, 0, 0 };
    struct small s;
    memcpy(&s, src, sizeof s);
    printf("%s\n", s.head);
    return 0;
}
