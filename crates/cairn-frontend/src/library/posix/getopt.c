/* getopt.h: command-line options. As in glibc, arguments that are not options are moved behind the options, unless the
   list of options starts with `+` or `-`. */

typedef __typeof__(sizeof 0) size_t;

int dprintf(int fd, const char *format, ...);
char *getenv(const char *name);

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

char *optarg = 0;
/* optind: no checks. */
int optind = 1;
/* opterr: no checks. */
int opterr = 1;
/* optopt: no checks. */
int optopt = '?';

/* The rest of an argument with several letters. */
static char *letters;
/* The range of arguments that were skipped. */
static int first_passed, last_passed;

static void complain(char *const argv[], const char *format, const char *what)
{
    if (opterr)
        dprintf(2, format, argv[0], what);
}

/* Moves the skipped arguments behind the options that were read since. */
static void exchange(char **argv)
{
    int read = optind - last_passed;
    for (int i = 0; i < read; i++) {
        char *option = argv[last_passed + i];
        for (int j = last_passed + i; j > first_passed + i; j--)
            argv[j] = argv[j - 1];
        argv[first_passed + i] = option;
    }
    first_passed += read;
    last_passed = optind;
}

static int is_option(const char *text)
{
    return text[0] == '-' && text[1] != 0;
}

/* Returns 1 if `text`, up to `=` or its end, is a prefix of the name, and 2 if it is the whole name. */
static int name_matches(const char *text, const char *name)
{
    while (*text && *text != '=') {
        if (*text++ != *name++)
            return 0;
    }
    return *name ? 1 : 2;
}

static int long_option(char **argv, int argc, const char *text, int colon, const struct option *options, int *index)
{
    int found = -1;
    int ambiguous = 0;
    for (int i = 0; options[i].name; i++) {
        int match = name_matches(text, options[i].name);
        if (match == 2) {
            found = i;
            ambiguous = 0;
            break;
        }
        if (match == 1) {
            ambiguous |= found >= 0;
            if (found < 0)
                found = i;
        }
    }
    optind++;
    if (found < 0 || ambiguous) {
        optopt = 0;
        complain(argv, ambiguous ? "%s: option '--%s' is ambiguous\n" : "%s: unrecognized option '--%s'\n", text);
        return '?';
    }
    const struct option *option = &options[found];
    const char *value = text;
    while (*value && *value != '=')
        value++;
    if (*value == '=') {
        if (!option->has_arg) {
            optopt = option->val;
            complain(argv, "%s: option '--%s' doesn't allow an argument\n", option->name);
            return '?';
        }
        optarg = (char *)value + 1;
    } else if (option->has_arg == 1) {
        if (optind >= argc) {
            optopt = option->val;
            complain(argv, "%s: option '--%s' requires an argument\n", option->name);
            return colon ? ':' : '?';
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = found;
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

/* getopt_long: requires the arguments and the targets of the options in bounds and terminated. */
int getopt_long(int argc, char *const arguments[], const char *list, const struct option *options, int *index)
{
    char **argv = (char **)arguments;
    /* POSIX lets the options end at the first other argument. */
    char order = getenv("POSIXLY_CORRECT") ? '+' : 0;
    if (*list == '+' || *list == '-')
        order = *list++;
    int colon = *list == ':';
    optarg = 0;
    if (optind == 0) {
        optind = 1;
        letters = 0;
        first_passed = last_passed = 1;
    }
    if (!letters || !*letters) {
        letters = 0;
        if (last_passed > optind)
            last_passed = optind;
        if (first_passed > optind || last_passed == 0)
            first_passed = last_passed = optind;
        if (!order) {
            if (first_passed != last_passed && last_passed != optind)
                exchange(argv);
            else if (last_passed != optind)
                first_passed = optind;
            while (optind < argc && !is_option(argv[optind]))
                optind++;
            last_passed = optind;
        }
        if (optind < argc && argv[optind][0] == '-' && argv[optind][1] == '-' && !argv[optind][2]) {
            optind++;
            if (first_passed != last_passed && last_passed != optind)
                exchange(argv);
            else if (first_passed == last_passed)
                first_passed = optind;
            last_passed = argc;
            optind = argc;
        }
        if (optind >= argc) {
            if (first_passed != last_passed)
                optind = first_passed;
            return -1;
        }
        if (!is_option(argv[optind])) {
            if (order != '-')
                return -1;
            optarg = argv[optind++];
            return 1;
        }
        if (options && argv[optind][1] == '-')
            return long_option(argv, argc, argv[optind] + 2, colon, options, index);
        letters = argv[optind] + 1;
    }
    char letter = *letters++;
    char name[2] = { letter, 0 };
    const char *entry = list;
    while (*entry && (*entry != letter || letter == ':'))
        entry++;
    if (!*letters)
        optind++;
    if (!*entry) {
        optopt = letter;
        if (!colon)
            complain(argv, "%s: invalid option -- '%s'\n", name);
        return '?';
    }
    if (entry[1] == ':') {
        if (*letters) {
            optarg = letters;
            optind++;
        } else if (entry[2] != ':') {
            if (optind >= argc) {
                optopt = letter;
                letters = 0;
                if (!colon)
                    complain(argv, "%s: option requires an argument -- '%s'\n", name);
                return colon ? ':' : '?';
            }
            optarg = argv[optind++];
        }
        letters = 0;
    }
    return letter;
}

/* getopt: requires terminated arguments in bounds. */
int getopt(int argc, char *const arguments[], const char *list)
{
    return getopt_long(argc, arguments, list, 0, 0);
}
