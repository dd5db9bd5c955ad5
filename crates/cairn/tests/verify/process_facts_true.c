// Some properties of a process never change, and some clocks never go back.
//= memsafety: TRUE
//@ parent = memsafety: FALSE(valid-free)
//      The parent of a process may end.
//@ reset = memsafety: FALSE(valid-free)
//      The time of day may be set.
//@ zone = memsafety: FALSE(valid-deref)
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    struct timeval now;
    struct timezone zone;
    gettimeofday(&now, &zone);
//@ zone: gettimeofday(&now, (struct timezone *)8);
    if (zone.tz_minuteswest == 60)
        zone.tz_minuteswest = 0;
    char *page = malloc(getpagesize());
    if (!page)
        return 1;
    memset(page, 0, getpagesize());
    if (getpid() != getpid() || getuid() != getuid())
        free(page);
    struct timespec before, after;
    if (clock_gettime(CLOCK_MONOTONIC, &before) == 0 && clock_gettime(CLOCK_MONOTONIC, &after) == 0)
        if (after.tv_sec < before.tv_sec)
            free(page);
//@ parent+ if (getppid() != getppid()) free(page);
//@ reset+ if (clock_gettime(CLOCK_REALTIME, &before) == 0 && clock_gettime(CLOCK_REALTIME, &after) == 0 && after.tv_sec < before.tv_sec) free(page);
    free(page);
    return 0;
}
