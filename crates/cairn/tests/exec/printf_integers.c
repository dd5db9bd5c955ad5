// printf integer conversions: flags, width, precision, length modifiers, %c %s %%.
#include <stdio.h>
#include <stdint.h>
#include <inttypes.h>
#include <stddef.h>
#include <limits.h>

int main(void)
{
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%+5d]\n", 42, 42, 42, 42, 42, 42, -42);
    printf("[%.3d] [%8.3d] [%-8.3d] [%08.3d] [%.0d] [%.0d]\n", 7, 7, 7, 7, 0, 1);
    printf("[%i] [%u] [%u]\n", -1, -1, 3000000000u);
    printf("[%x] [%X] [%#x] [%#X] [%08x] [%#010x] [%#x]\n", 255, 255, 255, 255, 255, 255, 0);
    printf("[%o] [%#o] [%#o] [%5o]\n", 8, 8, 0, 64);
    printf("[%hhd] [%hhu] [%hd] [%hu] [%hhx]\n", 300, 300, 70000, 70000, -1);
    printf("[%ld] [%lu] [%lx] [%lld] [%llu] [%llo]\n", LONG_MIN, ULONG_MAX, 1L << 20, LLONG_MAX, ULLONG_MAX, 8LL);
    printf("[%zu] [%zd] [%td] [%jd] [%ju]\n", (size_t)-1, (ssize_t)-1, (ptrdiff_t)-5, (intmax_t)-6, (uintmax_t)7);
    printf("[%" PRId64 "] [%" PRIu32 "] [%" PRIx64 "] [%" PRId8 "]\n", (int64_t)-9, 9u, (uint64_t)255, (int8_t)-3);
    printf("[%*d] [%-*d] [%.*d] [%*.*d] [%*d]\n", 6, 1, 6, 2, 4, 3, 7, 3, 4, -6, 5);
    printf("[%c] [%3c] [%-3c] [%c%c]\n", 'a', 'b', 'c', 'd', 321);
    printf("[%s] [%8s] [%-8s] [%.2s] [%8.3s] [%.*s] [%.0s]\n", "str", "str", "str", "str", "string", 4, "precision", "x");
    printf("[%%] [%5s%%]\n", "pad");
    printf("[%-05d] [%+ d] [%+u]\n", 3, 4, 5u);
    printf("[%.10d] [%20.10d] [%-20.10x|\n", 123, -123, 0xabc);
    int n1, n2;
    printf("count%n me %d%n\n", &n1, 5, &n2);
    printf("%d %d\n", n1, n2);
    printf("%2$s %1$s\n", "world", "hello");
    int r = printf("%s", "");
    r = r * 10 + printf("abc\n");
    printf("%d\n", r);
    char buf[8];
    r = snprintf(buf, sizeof buf, "%d-%s", 12345, "abcdef");
    printf("%d [%s]\n", r, buf);
    r = snprintf(NULL, 0, "%5.1f|%x", 2.25, 4096);
    printf("%d\n", r);
    r = snprintf(buf, 1, "zzz");
    printf("%d [%s]\n", r, buf);
    char out[64];
    int len = sprintf(out, "%d", 1);
    len += sprintf(out + len, ",%s", "two");
    len += sprintf(out + len, ",%g", 3.5);
    printf("%s %d\n", out, len);
    return 0;
}
