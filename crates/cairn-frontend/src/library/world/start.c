/* The start of the program: it gets any number of arguments, each of which is any string. */

typedef __typeof__(sizeof 0) size_t;

int __cairn_any_int(void);
char __cairn_any_char(void);
void __cairn_assume(int condition);

/* __cairn_start: no checks. The name of the program is the first argument, so that there is at least one. */
int __cairn_start(void)
{
    int count = 1;
    while (__cairn_any_int())
        count++;
    char **arguments = __builtin_alloca((count + 1) * sizeof *arguments);
    for (int i = 0; i < count; i++) {
        size_t length = 0;
        while (__cairn_any_int())
            length++;
        char *text = __builtin_alloca(length + 1);
        for (size_t at = 0; at < length; at++) {
            char c = __cairn_any_char();
            __cairn_assume(c != 0);
            text[at] = c;
        }
        text[length] = 0;
        arguments[i] = text;
    }
    arguments[count] = 0;
    CALL;
}
