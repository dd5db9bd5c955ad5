/* Writes through numbers that became pointers again change objects whose names the analysis does not know. */
#include <stdint.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

static int first = 1, second = 2;
static char text[8] = "abc";
static int *chosen = &first;

static void poke(uintptr_t address, int value)
{
    *(int *)(address ^ 0x5a5a5a5a) = value;
}

static void cut(uintptr_t address)
{
    *(char *)(address ^ 0x5a5a5a5a) = 'x';
}

int main(void)
{
    int before = second;
    poke((uintptr_t)&second ^ 0x5a5a5a5a, 40);
    int after = second;
    if (second != 2)
        before += 1;
    for (int i = 0; i < 4; i++)
        cut((uintptr_t)&text[i] ^ 0x5a5a5a5a);
    size_t length = 0;
    while (length < 8 && text[length])
        length++;
    *(int **)((uintptr_t)&chosen ^ 0) = &second;
    *chosen += (int)length;
    return before + after + first + second;
}
