/* Random numbers: any number of the range that the standard or POSIX promises. Seeds have no effect. */

int __cairn_any_int(void);
unsigned long long __cairn_any_bits(void);
void __cairn_assume(int condition);

static int cairn_natural(void)
{
    int number = __cairn_any_int();
    __cairn_assume(number >= 0);
    return number;
}

/* srandom: no checks. */
void srandom(unsigned int seed)
{
}

/* srand: no checks. */
void srand(unsigned int seed)
{
}

/* random: no checks. */
long random(void)
{
    return cairn_natural();
}

/* rand: no checks. */
int rand(void)
{
    return cairn_natural();
}

/* rand_r: requires an initialised seed in bounds. */
int rand_r(unsigned int *seed)
{
    *seed += (unsigned int)__cairn_any_bits();
    return cairn_natural();
}

/* srand48: no checks. */
void srand48(long seed)
{
}

/* drand48: no checks. */
double drand48(void)
{
    return (__cairn_any_bits() & 0xffffffffffffull) / 281474976710656.0;
}

/* lrand48: no checks. */
long lrand48(void)
{
    return cairn_natural();
}

/* mrand48: no checks. */
long mrand48(void)
{
    return __cairn_any_int();
}
