// Writes to a closed descriptor fail, and closing it again fails.
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (close(1) != 0 || fileno(stdout) != 1)
        return 1;
    if (write(1, "x", 1) != -1 || errno != EBADF)
        return 2;
    if (close(1) != -1 || close(7) != -1)
        return 3;
    if (fclose(stdout) != EOF)
        return 4;
    return 0;
}
