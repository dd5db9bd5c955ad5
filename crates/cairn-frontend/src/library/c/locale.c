/* locale.h: only the C locale exists. */

void __cairn_one_answer(void);

struct conventions {
    char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol;
    char *mon_decimal_point, *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
    char numbers[14];
};

/* localeconv: no checks. */
struct conventions *localeconv(void)
{
    static struct conventions conventions = {
        (char *)".", (char *)"", (char *)"", (char *)"", (char *)"", (char *)"", (char *)"", (char *)"", (char *)"",
        (char *)"", { [0 ... 13] = 127 },
    };
    return &conventions;
}

/* setlocale: requires a terminated name in bounds, or null. Only "C" and its synonyms exist. */
char *setlocale(int category, const char *name)
{
    __cairn_one_answer();
    if (!name || !*name || (name[0] == 'C' && !name[1]))
        return (char *)"C";
    const char *posix = "POSIX";
    while (*name && *name == *posix) {
        name++;
        posix++;
    }
    return *name == *posix ? (char *)"C" : (char *)0;
}
