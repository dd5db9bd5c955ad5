/* time.h and sys/time.h: the clock shows any time up to the end of the year 9999, so that every year fits an int. */

struct cairn_timespec { long tv_sec, tv_nsec; };
struct cairn_timeval { long tv_sec, tv_usec; };
struct cairn_zone { int minutes_west, summer_time; };

enum { BITS_OF_LONG = 8 * sizeof(long) };

/* The clocks that may be set have the numbers 0 and 5. */
enum { REALTIME_COARSE = 5 };

int *__errno_location(void);
long __cairn_any_long(void);
int __cairn_any_int(void);
unsigned int __cairn_any_seconds(void);
void __cairn_assume(int condition);

/* Returns a number from 0 up to a limit. */
static long cairn_below(long limit)
{
    long number = __cairn_any_long();
    __cairn_assume(number >= 0 && number < limit);
    return number;
}

/* Assumes that a number of seconds since 1970 is no later than the year 9999. */
static void cairn_assume_year(long seconds)
{
    __cairn_assume(BITS_OF_LONG == 32 || seconds < (long)(2932897ul * 86400ul));
}

/* Returns a number of seconds since 1970. */
static long cairn_seconds(void)
{
    long number = __cairn_any_long();
    __cairn_assume(number >= 0);
    cairn_assume_year(number);
    return number;
}

/* time: requires a writable result or null. The result is -1 where the calendar time is not available. */
long time(long *to)
{
    long now = __cairn_any_long();
    __cairn_assume(now >= -1);
    cairn_assume_year(now);
    if (to)
        *to = now;
    return now;
}

/* clock: no checks. The result is -1 where the processor time is not available. */
long clock(void)
{
    long used = __cairn_any_long();
    __cairn_assume(used >= -1);
    return used;
}

/* gettimeofday: requires a writable result, and a writable zone or null. */
int gettimeofday(struct cairn_timeval *to, struct cairn_zone *zone)
{
    to->tv_sec = cairn_seconds();
    to->tv_usec = cairn_below(1000000);
    if (zone) {
        zone->minutes_west = __cairn_any_int();
        zone->summer_time = __cairn_any_int();
    }
    return 0;
}

/* clock_gettime: requires a writable result. Fails for a clock that the system does not have. */
int clock_gettime(int clock, struct cairn_timespec *to)
{
    if (clock != 0 && !__cairn_any_int()) {
        *__errno_location() = 22;
        return -1;
    }
    to->tv_sec = cairn_seconds();
    to->tv_nsec = cairn_below(1000000000);
    /* Clocks that count from a fixed point never go back. */
    static struct cairn_timespec last[8];
    if (clock > 0 && clock < 8 && clock != REALTIME_COARSE) {
        struct cairn_timespec *before = &last[clock];
        __cairn_assume((to->tv_sec > before->tv_sec)
                       | ((to->tv_sec == before->tv_sec) & (to->tv_nsec >= before->tv_nsec)));
        *before = *to;
    }
    return 0;
}

/* timespec_get: requires a writable result. */
int timespec_get(struct cairn_timespec *to, int base)
{
    if (base != 1)
        return 0;
    clock_gettime(0, to);
    return base;
}

/* sleep: no checks. A signal may end it early. */
unsigned int sleep(unsigned int seconds)
{
    unsigned int rest = __cairn_any_seconds();
    __cairn_assume(rest <= seconds);
    return rest;
}

/* usleep: no checks. A signal may end it early. */
int usleep(unsigned int microseconds)
{
    if (!__cairn_any_int())
        return 0;
    *__errno_location() = 4;
    return -1;
}

/* nanosleep: requires a readable time, and a writable rest or null. A signal may end it early. */
int nanosleep(const struct cairn_timespec *how_long, struct cairn_timespec *rest)
{
    int is_valid = how_long->tv_sec >= 0 && how_long->tv_nsec >= 0 && how_long->tv_nsec < 1000000000;
    if (is_valid && !__cairn_any_int())
        return 0;
    *__errno_location() = is_valid ? 4 : 22;
    if (is_valid && rest) {
        rest->tv_sec = cairn_below(how_long->tv_sec + 1);
        rest->tv_nsec = cairn_below(1000000000);
    }
    return -1;
}
