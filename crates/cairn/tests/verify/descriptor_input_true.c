// Every operation on a descriptor may fail, and a read delivers any bytes up to its size.
//= memsafety: TRUE
//@ full = memsafety: FALSE(valid-deref)
//      The read may fill the buffer.
//@ failed = memsafety: FALSE(valid-deref)
//      A read that fails returns -1.
//@ missing = memsafety: FALSE(valid-deref)
//      The file may not exist.
//@ low = memsafety: FALSE(valid-deref)
//      The standard descriptors may be closed from the start.
//@ byte = memsafety: FALSE(valid-deref)
//      A byte may be greater than 127.
//@ child = memsafety: FALSE(valid-deref)
//      The program may be the child.
//@ status = memsafety: FALSE(valid-deref)
//      The status of a child is any number.
extern int open(const char *, int, ...), close(int), fork(void), waitpid(int, int *, int);
extern long read(int, void *, unsigned long);
int main(void) {
    int table[256] = {0};
    char buffer[4] = {0};
    int fd = open("numbers", 0);
    if (fd < 0)
//@ missing: if (0)
        return 1;
    table[fd < 0 ? 256 : 0]++;
//@ low: table[fd < 3 ? 256 : 0]++;
    long n = read(fd, buffer, sizeof buffer - 1);
//@ full: long n = read(fd, buffer, sizeof buffer);
    if (n >= 0)
//@ failed: if (n != 0)
        buffer[n] = 0;
    table[(unsigned char)buffer[0]]++;
//@ byte: table[(unsigned char)buffer[0] * 2]++;
    close(fd);
    int child = fork();
    if (child == -1)
        return 2;
    table[child >= 0 ? 1 : 256]++;
//@ child: table[child > 0 ? 1 : 256]++;
    int status = 0;
    if (waitpid(child, &status, 0) > 0)
        table[status & 255]++;
//@ status: table[status == 77 ? 256 : 0]++;
    return 0;
}
