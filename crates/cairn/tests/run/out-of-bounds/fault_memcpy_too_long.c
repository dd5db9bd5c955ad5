// memcpy copies more bytes than the destination struct has.
#include <string.h>

struct small { char head[4]; int body; };

int main(void) {
    char src[32] = "0123456789abcdef";
    struct small s;
    size_t n = strlen(src);
    memcpy(&s, src, n); //~ out-of-bounds
    return s.head[0] != '0';
}
