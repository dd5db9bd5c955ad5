/* time.h: calendar times. Local time is UTC. */

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

int *__errno_location(void);
void __cairn_one_answer(void);

/* difftime: no checks. */
double difftime(long later, long earlier)
{
    return (double)later - (double)earlier;
}

static int is_leap(long long year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Returns the days from 1970-01-01 to the first of March of a year. */
static long long days_to_march(long long year)
{
    long long before = year - 1;
    long long leaps = before / 4 - before / 100 + before / 400;
    if (before < 0)
        leaps = (before - 3) / 4 - (before - 99) / 100 + (before - 399) / 400;
    return (before - 1969) * 365 + (leaps - 477) + 59 + is_leap(year);
}

static const short month_starts[2][13] = {
    { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 },
    { 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366 },
};

/* Returns the days from 1970-01-01 to the first of January of a year. */
static long long days_to_year(long long year)
{
    return days_to_march(year) - 59 - is_leap(year);
}

/* gmtime_r: requires a readable time and a writable result. */
struct tm *gmtime_r(const long *from, struct tm *to)
{
    long long time = *from;
    /* The year would not fit an int. */
    if (time > 67768036191676799 || time < -67768040609740800) {
        *__errno_location() = 75;
        return 0;
    }
    long long days = time / 86400;
    int seconds = time % 86400;
    if (seconds < 0) {
        seconds += 86400;
        days--;
    }
    long long year = 1970 + days / 366;
    while (days_to_year(year) > days)
        year--;
    while (days_to_year(year + 1) <= days)
        year++;
    int day = days - days_to_year(year);
    int month = 0;
    while (month_starts[is_leap(year)][month + 1] <= day)
        month++;
    to->tm_sec = seconds % 60;
    to->tm_min = seconds / 60 % 60;
    to->tm_hour = seconds / 3600;
    to->tm_mday = day - month_starts[is_leap(year)][month] + 1;
    to->tm_mon = month;
    to->tm_year = year - 1900;
    to->tm_wday = ((days + 4) % 7 + 7) % 7;
    to->tm_yday = day;
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = "GMT";
    return to;
}

/* localtime_r: like gmtime_r. */
struct tm *localtime_r(const long *from, struct tm *to)
{
    /* The time zone of the machine is unknown. */
    __cairn_one_answer();
    if (!gmtime_r(from, to))
        return 0;
    to->tm_zone = "UTC";
    return to;
}

static struct tm broken_down;

/* gmtime: requires a readable time. */
struct tm *gmtime(const long *from)
{
    return gmtime_r(from, &broken_down);
}

/* localtime: requires a readable time. */
struct tm *localtime(const long *from)
{
    return localtime_r(from, &broken_down);
}

/* timegm: requires all fields initialised and writable. */
long timegm(struct tm *when)
{
    long long year = 1900ll + when->tm_year + when->tm_mon / 12;
    int month = when->tm_mon % 12;
    if (month < 0) {
        month += 12;
        year--;
    }
    long long days = days_to_year(year) + month_starts[is_leap(year)][month] + when->tm_mday - 1;
    long seconds = ((days * 24 + when->tm_hour) * 60 + when->tm_min) * 60 + when->tm_sec;
    gmtime_r(&seconds, when);
    return seconds;
}

/* mktime: like timegm. */
long mktime(struct tm *when)
{
    __cairn_one_answer();
    long seconds = timegm(when);
    when->tm_zone = "UTC";
    return seconds;
}
