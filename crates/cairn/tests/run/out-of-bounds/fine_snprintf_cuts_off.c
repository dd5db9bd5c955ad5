// snprintf cuts its output off at the size of the buffer.
#include <stdio.h>
#include <string.h>

int main(void) {
    char buf[8];
    int n = snprintf(buf, sizeof buf, "%s-%d", "granite", 12345);
    printf("%d %zu %s\n", n, strlen(buf), buf);
    return 0;
}
