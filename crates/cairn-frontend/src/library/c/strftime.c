/* The textual forms of time.h, in the C locale and in UTC. */

typedef __typeof__(sizeof 0) size_t;

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

void __cairn_one_answer(void);
int *__errno_location(void);
void __cairn_unsupported_this_conversion_of_strftime(void);
int snprintf(char *to, size_t size, const char *format, ...);
struct tm *gmtime_r(const long *from, struct tm *to);
long timegm(struct tm *when);

static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December" };

static const char *day_name(const struct tm *when)
{
    return when->tm_wday < 0 || when->tm_wday > 6 ? "?" : days[when->tm_wday];
}

/* Returns the hour of a clock with twelve hours. */
static int hour_of_twelve(const struct tm *when)
{
    return when->tm_hour % 12 ? when->tm_hour % 12 : 12;
}

static const char *month_name(const struct tm *when)
{
    return when->tm_mon < 0 || when->tm_mon > 11 ? "?" : months[when->tm_mon];
}

static char *print_date(const struct tm *when, char *to, int size)
{
    const char *day = when->tm_wday < 0 || when->tm_wday > 6 ? "???" : days[when->tm_wday];
    const char *month = when->tm_mon < 0 || when->tm_mon > 11 ? "???" : months[when->tm_mon];
    int n = snprintf(to, size, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, when->tm_mday, when->tm_hour, when->tm_min,
        when->tm_sec, 1900 + when->tm_year);
    if (n < size)
        return to;
    *__errno_location() = 75;
    return 0;
}

/* asctime_r: requires initialised fields and 26 writable bytes. */
char *asctime_r(const struct tm *when, char *to)
{
    return print_date(when, to, 26);
}

/* asctime: requires initialised fields. */
char *asctime(const struct tm *when)
{
    static char text[128];
    return print_date(when, text, sizeof text);
}

/* ctime_r: requires a readable time and 26 writable bytes. */
char *ctime_r(const long *time, char *to)
{
    struct tm when;
    /* The time zone of the machine is unknown. */
    __cairn_one_answer();
    return gmtime_r(time, &when) ? asctime_r(&when, to) : (char *)0;
}

/* ctime: requires a readable time. */
char *ctime(const long *time)
{
    struct tm when;
    __cairn_one_answer();
    return gmtime_r(time, &when) ? asctime(&when) : (char *)0;
}

static int leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Returns the ISO 8601 week, and the year to which it belongs. */
static int iso_week(const struct tm *when, int *year)
{
    int monday = (when->tm_wday + 6) % 7;
    int week = (when->tm_yday - monday + 10) / 7;
    *year = 1900 + when->tm_year;
    if (week < 1) {
        *year -= 1;
        int yday = when->tm_yday + (leap(*year) ? 366 : 365);
        return (yday - monday + 10) / 7;
    }
    if (week == 53 && when->tm_yday - monday + 3 >= (leap(*year) ? 366 : 365)) {
        *year += 1;
        return 1;
    }
    return week;
}

/* strftime: requires a terminated format and the result in bounds, and the used fields initialised. */
size_t strftime(char *to, size_t size, const char *format, const struct tm *when)
{
    size_t used = 0;
    for (; *format; format++) {
        char one[64];
        const char *text = one;
        int year;
        if (*format != '%') {
            one[0] = *format;
            one[1] = 0;
        } else {
            format++;
            if (*format == 'E' || *format == 'O')
                format++;
            switch (*format) {
            case 'a': snprintf(one, sizeof one, "%.3s", day_name(when)); break;
            case 'A': text = day_name(when); break;
            case 'b':
            case 'h': snprintf(one, sizeof one, "%.3s", month_name(when)); break;
            case 'B': text = month_name(when); break;
            case 'c':
                snprintf(one, sizeof one, "%.3s %.3s %2d %.2d:%.2d:%.2d %d", day_name(when), month_name(when),
                    when->tm_mday, when->tm_hour, when->tm_min, when->tm_sec, 1900 + when->tm_year);
                break;
            case 'C': snprintf(one, sizeof one, "%.2d", (1900 + when->tm_year) / 100); break;
            case 'd': snprintf(one, sizeof one, "%.2d", when->tm_mday); break;
            case 'x':
            case 'D':
                snprintf(one, sizeof one, "%.2d/%.2d/%.2d", when->tm_mon + 1, when->tm_mday, when->tm_year % 100);
                break;
            case 'e': snprintf(one, sizeof one, "%2d", when->tm_mday); break;
            case 'F':
                snprintf(one, sizeof one, "%d-%.2d-%.2d", 1900 + when->tm_year, when->tm_mon + 1, when->tm_mday);
                break;
            case 'g':
                iso_week(when, &year);
                snprintf(one, sizeof one, "%.2d", year % 100);
                break;
            case 'G':
                iso_week(when, &year);
                snprintf(one, sizeof one, "%d", year);
                break;
            case 'H': snprintf(one, sizeof one, "%.2d", when->tm_hour); break;
            case 'I': snprintf(one, sizeof one, "%.2d", hour_of_twelve(when)); break;
            case 'j': snprintf(one, sizeof one, "%.3d", when->tm_yday + 1); break;
            case 'k': snprintf(one, sizeof one, "%2d", when->tm_hour); break;
            case 'l': snprintf(one, sizeof one, "%2d", hour_of_twelve(when)); break;
            case 'm': snprintf(one, sizeof one, "%.2d", when->tm_mon + 1); break;
            case 'M': snprintf(one, sizeof one, "%.2d", when->tm_min); break;
            case 'n': text = "\n"; break;
            case 'p': text = when->tm_hour >= 12 ? "PM" : "AM"; break;
            case 'P': text = when->tm_hour >= 12 ? "pm" : "am"; break;
            case 'r':
                snprintf(one, sizeof one, "%.2d:%.2d:%.2d %s", hour_of_twelve(when), when->tm_min, when->tm_sec,
                    when->tm_hour >= 12 ? "PM" : "AM");
                break;
            case 'R': snprintf(one, sizeof one, "%.2d:%.2d", when->tm_hour, when->tm_min); break;
            case 's': {
                struct tm copy = *when;
                snprintf(one, sizeof one, "%ld", timegm(&copy));
                break;
            }
            case 'S': snprintf(one, sizeof one, "%.2d", when->tm_sec); break;
            case 't': text = "\t"; break;
            case 'X':
            case 'T':
                snprintf(one, sizeof one, "%.2d:%.2d:%.2d", when->tm_hour, when->tm_min, when->tm_sec);
                break;
            case 'u': snprintf(one, sizeof one, "%d", when->tm_wday ? when->tm_wday : 7); break;
            case 'U': snprintf(one, sizeof one, "%.2d", (when->tm_yday + 7 - when->tm_wday) / 7); break;
            case 'V': snprintf(one, sizeof one, "%.2d", iso_week(when, &year)); break;
            case 'w': snprintf(one, sizeof one, "%d", when->tm_wday); break;
            case 'W': snprintf(one, sizeof one, "%.2d", (when->tm_yday + 7 - (when->tm_wday + 6) % 7) / 7); break;
            case 'y': snprintf(one, sizeof one, "%.2d", (when->tm_year % 100 + 100) % 100); break;
            case 'Y': snprintf(one, sizeof one, "%d", 1900 + when->tm_year); break;
            case 'z': text = "+0000"; break;
            case 'Z': text = when->tm_zone ? when->tm_zone : ""; break;
            case '%': text = "%"; break;
            case 0:
                format--;
                text = "%";
                break;
            default:
                __cairn_unsupported_this_conversion_of_strftime();
            }
        }
        for (; *text; text++) {
            if (used + 1 >= size)
                return 0;
            to[used++] = *text;
        }
    }
    if (used >= size)
        return 0;
    to[used] = 0;
    return used;
}
