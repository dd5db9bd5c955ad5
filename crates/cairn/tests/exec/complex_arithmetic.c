/* Complex numbers: operators, conversions, comparisons, parts, and the cases with infinities. */
#include <complex.h>
#include <stdio.h>

static double _Complex constant = 1.5 - 2.5 * I;
static float _Complex table[2] = { 1.0f, 2.0f * I };
struct wave { int before; double _Complex z; int after; } wave = { 1, 3 + 4 * I, 2 };

static void show(const char *what, double _Complex z)
{
    printf("%s %a %a\n", what, creal(z), cimag(z));
}

static double _Complex square(double _Complex z)
{
    return z * z;
}

static double _Complex sum(int n, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, n);
    double _Complex total = 0;
    while (n--)
        total += __builtin_va_arg(list, double _Complex);
    __builtin_va_end(list);
    return total;
}

int main(void)
{
    double _Complex a = 1 + 2 * I, b = 3 - 4 * I;
    show("constant", constant);
    show("table", table[0] + table[1]);
    show("wave", wave.z);
    show("a+b", a + b);
    show("a-b", a - b);
    show("a*b", a * b);
    show("a/b", a / b);
    show("-a", -a);
    show("~a", ~a);
    show("2-a", 2 - a);
    show("a-2", a - 2);
    show("2*a", 2 * a);
    show("a/2", a / 2);
    show("2/a", 2 / a);
    show("square", square(a));
    show("sum", sum(3, a, b, constant));
    printf("%d %d %d %d\n", a == b, a != b, a == 1 + 2 * I, !a);
    printf("%d %d\n", a ? 1 : 2, (0 * I) ? 1 : 2);
    if (a && !(b - b))
        puts("truth");
    a += b;
    a *= 2;
    a -= I;
    a /= b;
    show("compound", a);
    wave.z *= wave.z;
    wave.z++;
    --wave.z;
    show("post", wave.z++);
    show("member", wave.z);
    printf("%d %d\n", wave.before, wave.after);
    double d = a;
    d += b;
    int i = b;
    _Bool t = b;
    printf("%a %d %d\n", d, i, t);
    __real__ a = 7;
    __imag__ a = -8;
    show("parts", a);
    printf("%a %a\n", __real__(a + b), __imag__(a * b));
    float _Complex f = a;
    long double _Complex l = (long double _Complex)f / (2 + 1.0iF);
    f = f * f / (4 + 4.0iF);
    printf("%a %a %La %La\n", crealf(f), cimagf(f), creall(l), cimagl(l));
    double inf = 1e308 * 10, values[] = { 0.0, -0.0, 1, -3, 1e308, 1e-310, -2e-160, inf, -inf };
    int n = sizeof values / sizeof *values;
    for (int w = 0; w < n; w++)
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++) {
                double v = values[(w + x * 2 + y) % n];
                double _Complex p = __builtin_complex(values[w], values[x]), q = __builtin_complex(values[y], v);
                double _Complex product = p * q;
                printf("%g %g %g %g: %g %g\n", values[w], values[x], values[y], v, creal(product), cimag(product));
            }
    /* Compilers' libraries differ in how they divide at the edges, but not by moderate numbers, zero and infinity. */
    double moderate[] = { 1, -3, 0.5, 7, inf, 0 };
    n = sizeof moderate / sizeof *moderate;
    for (int w = 0; w < n; w++)
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++) {
                double _Complex p = __builtin_complex(moderate[w], moderate[(w + y) % n]);
                double _Complex q = __builtin_complex(moderate[x], moderate[y]), quotient = p / q;
                printf("%g %g\n", creal(quotient), cimag(quotient));
            }
    printf("%g %g\n", cabs(3 + 4 * I), cabsf(5 + 12 * I));
    show("conj", conj(b));
    show("proj", cproj(inf - I));
    double _Complex array[2][2] = { { 1, I }, { 2 + I } };
    show("array", array[0][1] * array[1][0] + array[1][1]);
    double _Complex *p = &array[0][0];
    *p++ += 1;
    show("pointer", array[0][0] + *p);
    show("choice", i ? a : 1);
    show("comma", (i++, a));
    show("statement", ({ double _Complex inner = a; inner * I; }));
    return (int)creal(square(2));
}
