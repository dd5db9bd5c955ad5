/* time.h and sys/time.h: the clock of the execution. */

struct timespec { long tv_sec, tv_nsec; };
struct timeval { long tv_sec, tv_usec; };
struct timezone { int minutes_west, summer_time; };

long long __cairn_time(void);
long long __cairn_clock(void);

/* time: requires a writable result or null. */
long time(long *to)
{
    long now = __cairn_time();
    if (to)
        *to = now;
    return now;
}

/* clock: no checks. */
long clock(void)
{
    return __cairn_clock();
}

/* gettimeofday: requires a writable result, and a writable zone or null. */
int gettimeofday(struct timeval *to, struct timezone *zone)
{
    to->tv_sec = __cairn_time();
    to->tv_usec = 0;
    if (zone)
        *zone = (struct timezone){ 0 };
    return 0;
}

/* clock_gettime: requires a writable result. */
int clock_gettime(int clock, struct timespec *to)
{
    if (clock == 0) {
        to->tv_sec = __cairn_time();
        to->tv_nsec = 0;
    } else {
        long long used = __cairn_clock();
        to->tv_sec = used / 1000000;
        to->tv_nsec = used % 1000000 * 1000;
    }
    return 0;
}

/* timespec_get: requires a writable result. */
int timespec_get(struct timespec *to, int base)
{
    if (base != 1)
        return 0;
    clock_gettime(0, to);
    return base;
}

/* sleep: no checks. No time passes. */
unsigned int sleep(unsigned int seconds)
{
    return 0;
}

/* usleep: no checks. No time passes. */
int usleep(unsigned int microseconds)
{
    return 0;
}

/* nanosleep: requires a readable time. No time passes. */
int nanosleep(const struct timespec *how_long, struct timespec *rest)
{
    return how_long->tv_nsec < 0 ? -1 : 0;
}
