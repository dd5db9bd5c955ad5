/* scanf: every text is converted byte by byte. */

static int cairn_scan_is_any_text(struct cairn_source *from)
{
    return 0;
}

static int cairn_scan_next_after_any_blanks(struct cairn_source *from)
{
    return cairn_scan_next_after_blanks(from);
}

static int cairn_scan_takes_any_number(struct cairn_source *from, int base, int width)
{
    return 0;
}

static unsigned long long cairn_scan_any_integer(void)
{
    return 0;
}

static float cairn_scan_any_single(void)
{
    return 0;
}

static double cairn_scan_any_double(void)
{
    return 0;
}

static long double cairn_scan_any_extended(void)
{
    return 0;
}
