// A file may be missing, and its bytes are any.
//= memsafety: TRUE
//@ missing = memsafety: FALSE(valid-deref)
//      fopen may fail.
//@ end = memsafety: FALSE(valid-deref)
//      A read may reach the end of the file.
//@ large = memsafety: FALSE(valid-deref)
//      A byte may be greater than 127.
//@ closed = memsafety: FALSE(valid-deref)
//      A closed stream is used.
//@ twice = memsafety: FALSE(valid-deref)
//      A copy of the stream is closed again.
//@ line = memsafety: FALSE(valid-deref)
//      fgets writes a terminator after the bytes of the line.
//@ unread = memsafety: FALSE(valid-deref)
//      fgets may return null and leave the buffer as it is.
typedef struct stream FILE;
extern FILE *fopen(const char *, const char *);
extern int fgetc(FILE *), fclose(FILE *), feof(FILE *), ferror(FILE *);
extern char *fgets(char *, int, FILE *);
int main(void) {
    int table[256] = {0};
    char line[4] = {9, 9, 9, 9};
    FILE *file = fopen("numbers", "r");
    FILE *copy = file;
    if (!file)
//@ missing: if (0)
        return 1;
    int c = fgetc(file);
    if (c == -1) {
//@ end: if (c == -1 && feof(file)) {
        if (!feof(file) && !ferror(file))
            return table[256];
        fclose(file);
        return 0;
    }
    int sum = table[c];
//@ large: int sum = table[c * 2];
    if (!fgets(line, 4, file))
//@ line: if (!fgets(line, 5, file))
        line[0] = 0;
//@ unread: line[1] = line[1];
    int length = 0;
    while (line[length])
        length++;
    fclose(file);
//@ closed: fclose(file); sum += fgetc(file);
//@ twice: fclose(file); fclose(copy);
    return sum + length;
}
