// putchar, puts, fputs, fputc, fwrite, fprintf(stdout) and their ordering.
#include <stdio.h>
#include <string.h>
#include <stdarg.h>

static int my_printf(FILE *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vfprintf(f, fmt, ap);
    va_end(ap);
    return n;
}

static int plain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vprintf(fmt, ap);
    va_end(ap);
    return n;
}

int main(void)
{
    FILE *out = stdout;
    printf("%d\n", putchar('A'));
    printf("%c\n", putchar(0x142));
    puts("puts adds newline");
    printf("%d\n", fputs("fputs does not ", out) >= 0);
    fputc('c', stdout);
    putc('\n', stdout);
    fprintf(out, "%s %d\n", "fprintf", 1);
    printf("%zu\n", fwrite("block", 1, 5, stdout));
    int v[] = { 0x44434241, 0x0a464545 };
    printf("%zu\n", fwrite(v, sizeof v[0], 2, out));
    printf("%d\n", my_printf(stdout, "%s-%d ", "va", 7));
    printf("%d\n", plain("%5.2f|", 1.005));
    fprintf(stderr, "%s", "");
    printf("%d\n", fflush(stdout));
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("unbuffered ");
    fputs("mixed ", stdout);
    putchar('\n');
    printf("%s %s\n", stdout ? "stdout" : "none", stdin && stderr ? "set" : "unset");
    printf("no newline at end: %d", EOF);
    return 0;
}
