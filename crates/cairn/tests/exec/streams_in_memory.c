/* Streams that write to and read from memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%d-%s", 42, "forty-two");
    fputc('!', out);
    fflush(out);
    printf("[%s] %zu\n", text, size);
    for (int i = 0; i < 50; i++)
        fprintf(out, "%d,", i);
    fputs("end", out);
    fwrite("12345", 1, 3, out);
    fclose(out);
    printf("[%s] %zu\n", text, size);

    FILE *in = fmemopen(text, size, "r");
    int number, count = 0, c;
    char word[20];
    printf("%d", fscanf(in, "%d-%9[a-z]", &number, word));
    printf(" %d %s\n", number, word);
    while ((c = fgetc(in)) != EOF)
        count += c == ',';
    printf("%d %d %d\n", count, feof(in) != 0, ferror(in) != 0);
    rewind(in);
    c = fgetc(in);
    printf("%c %ld\n", c, ftell(in));
    fseek(in, -3, SEEK_END);
    printf("%s\n", fgets(word, sizeof word, in));
    printf("%d\n", fseek(in, -1, SEEK_SET));
    printf("%d\n", fputc('x', in));
    fclose(in);
    free(text);

    char buffer[16];
    memset(buffer, '#', sizeof buffer);
    FILE *w = fmemopen(buffer, sizeof buffer, "w");
    fprintf(w, "%s=%d", "x", 7);
    fclose(w);
    printf("%s %c\n", buffer, buffer[5]);
    FILE *a = fmemopen(buffer, sizeof buffer, "a");
    fputs(";y", a);
    fclose(a);
    printf("%s\n", buffer);
    FILE *both = fmemopen(NULL, 32, "w+");
    fputs("hello world", both);
    fflush(both);
    rewind(both);
    printf("%s\n", fgets(word, 6, both));
    fclose(both);
    return 0;
}
