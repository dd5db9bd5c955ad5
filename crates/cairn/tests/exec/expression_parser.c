// A realistic small program: tokenizer, recursive descent parser and evaluator.
#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>
#include <setjmp.h>

enum kind { NUM, NEG, ADD, SUB, MUL, DIV };
struct expr { enum kind kind; union { double num; struct { struct expr *l, *r; }; }; };

static const char *src;
static jmp_buf on_error;
static struct expr pool[64];
static int used;

static struct expr *node(enum kind k, struct expr *l, struct expr *r)
{
    struct expr *e = &pool[used++];
    *e = (struct expr){ .kind = k, .l = l, .r = r };
    return e;
}

static int peek(void)
{
    while (isspace((unsigned char)*src))
        src++;
    return *src;
}

static struct expr *sum(void);

static struct expr *atom(void)
{
    int c = peek();
    if (c == '-')
        return src++, node(NEG, atom(), NULL);
    if (c == '(') {
        src++;
        struct expr *e = sum();
        if (peek() != ')')
            longjmp(on_error, 1);
        return src++, e;
    }
    char *end;
    double d = strtod(src, &end);
    if (end == src)
        longjmp(on_error, 2);
    src = end;
    struct expr *e = node(NUM, NULL, NULL);
    e->num = d;
    return e;
}

static struct expr *product(void)
{
    struct expr *e = atom();
    for (int c; (c = peek()) == '*' || c == '/';)
        src++, e = node(c == '*' ? MUL : DIV, e, atom());
    return e;
}

static struct expr *sum(void)
{
    struct expr *e = product();
    for (int c; (c = peek()) == '+' || c == '-';)
        src++, e = node(c == '+' ? ADD : SUB, e, product());
    return e;
}

static double eval(const struct expr *e)
{
    switch (e->kind) {
    case NUM: return e->num;
    case NEG: return -eval(e->l);
    case ADD: return eval(e->l) + eval(e->r);
    case SUB: return eval(e->l) - eval(e->r);
    case MUL: return eval(e->l) * eval(e->r);
    case DIV: return eval(e->l) / eval(e->r);
    }
    return 0;
}

int main(void)
{
    static const char *const tests[] = { "1+2*3", "(1+2)*3", "-4 - -5", "2*(3+4)*5/7", "1/(2-2)",
                                         "(1+2", "7 + * 2", "-(2.5e1 - 0.5) / 2", "8-3-2" };
    for (volatile unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        used = 0;
        src = tests[i];
        int err = setjmp(on_error);
        if (err)
            printf("%s: error %d at '%s'\n", tests[i], err, src);
        else
            printf("%s = %g\n", tests[i], eval(sum()));
    }
    return 0;
}
