/* scanf: a number in the text of a file is any number. Its digits are not chosen, because the program cannot observe them. */

int __cairn_reads_memory(void *stream);
unsigned long long __cairn_any_integer(void);
float __cairn_any_single(void);
double __cairn_any_double(void);
long double __cairn_any_extended(void);
int __cairn_any_int(void);
void __cairn_assume(int condition);

static int cairn_scan_is_any_text(struct cairn_source *from)
{
    return from->stream && !__cairn_reads_memory(from->stream);
}

/* Any number of blanks may come before the byte. */
static int cairn_scan_next_after_any_blanks(struct cairn_source *from)
{
    int blanks = __cairn_any_int();
    __cairn_assume(blanks >= 0 && blanks <= 0x7fffffff - 2 - from->count);
    int c = cairn_scan_next(from);
    __cairn_assume(!cairn_scan_is_space(c));
    from->count += blanks;
    return c;
}

/*
 * Consumes a number, or leaves a byte that cannot begin one. A sign or the beginning of a word (`in` of `inf`) is consumed also if no number
 * follows. The base is 0 where the text decides it, and for floating-point numbers: these may end before a digit, as in `078` and `inf1`.
 */
static int cairn_scan_takes_any_number(struct cairn_source *from, int base, int width)
{
    int c = cairn_scan_next(from);
    int length = __cairn_any_int();
    __cairn_assume(length >= 0 && length <= 0x7fffffff - 2 - from->count && (!width || length < width));
    if (!__cairn_any_int()) {
        if (__cairn_any_int()) {
            __cairn_assume(c >= 0 && !cairn_scan_is_digit(c, 10) && !cairn_scan_is_space(c));
            from->count += length;
            return 0;
        }
        __cairn_assume(!cairn_scan_is_digit(c, base ? base : 10));
        cairn_scan_back(from, c);
        return 0;
    }
    __cairn_assume(c >= 0);
    from->count += length;
    /* Without a width, the number ends before a byte that is no digit. */
    c = cairn_scan_next(from);
    __cairn_assume(width || !base || !cairn_scan_is_digit(c, base));
    cairn_scan_back(from, c);
    return 1;
}

static unsigned long long cairn_scan_any_integer(void)
{
    return __cairn_any_integer();
}

static float cairn_scan_any_single(void)
{
    return __cairn_any_single();
}

static double cairn_scan_any_double(void)
{
    return __cairn_any_double();
}

static long double cairn_scan_any_extended(void)
{
    return __cairn_any_extended();
}
