/* Random numbers: the sequences of glibc, so that a program behaves as it does with glibc. */

void __cairn_one_answer(void);

/* An additive feedback generator: each number is the sum of those 3 and 31 positions before, modulo 2^32. */
static unsigned int table[31];
static int position = -1;

static unsigned int next_word(void)
{
    __cairn_one_answer();
    unsigned int word = table[position] += table[(position + 28) % 31];
    position = (position + 1) % 31;
    return word;
}

/* srandom: no checks. */
void srandom(unsigned int seed)
{
    int word = seed ? seed : 1;
    table[0] = word;
    for (int i = 1; i < 31; i++) {
        /* This is word * 16807 % 2147483647 without exceeding 32 bits. */
        word = 16807 * (word % 127773) - 2836 * (word / 127773);
        if (word < 0)
            word += 2147483647;
        table[i] = word;
    }
    position = 3;
    for (int i = 0; i < 310; i++)
        next_word();
}

/* srand: no checks. */
void srand(unsigned int seed)
{
    srandom(seed);
}

/* random: no checks. */
long random(void)
{
    if (position < 0)
        srandom(1);
    return next_word() >> 1;
}

/* rand: no checks. */
int rand(void)
{
    return random();
}

/* rand_r: requires the seed in bounds. */
int rand_r(unsigned int *seed)
{
    __cairn_one_answer();
    unsigned int next = *seed;
    next = next * 1103515245u + 12345u;
    unsigned int result = next / 65536 % 2048;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536 % 1024;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536 % 1024;
    *seed = next;
    return result;
}

static unsigned long long state48;

static unsigned long long next48(void)
{
    __cairn_one_answer();
    state48 = (state48 * 0x5deece66dull + 11) & 0xffffffffffffull;
    return state48;
}

/* srand48: no checks. */
void srand48(long seed)
{
    state48 = ((unsigned long long)(unsigned int)seed << 16) + 0x330e;
}

/* drand48: no checks. */
double drand48(void)
{
    return next48() / 281474976710656.0;
}

/* lrand48: no checks. */
long lrand48(void)
{
    return next48() >> 17;
}

/* mrand48: no checks. */
long mrand48(void)
{
    return (int)(next48() >> 16);
}
