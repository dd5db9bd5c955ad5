// Labels as values: dispatch through static and automatic label tables.
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, SWAP, PRINT, JNZ, DEC, HALT };

static void run(const int *code)
{
    static const void *const ops[] = {
        [PUSH] = &&push, [ADD] = &&add, [MUL] = &&mul, [DUP] = &&dup, [SWAP] = &&swap,
        [PRINT] = &&print, [JNZ] = &&jnz, [DEC] = &&dec, [HALT] = &&halt
    };
    long stack[16];
    int sp = 0;
    const int *pc = code;
#define NEXT goto *ops[*pc++]
    NEXT;
push: stack[sp++] = *pc++; NEXT;
add: sp--; stack[sp - 1] += stack[sp]; NEXT;
mul: sp--; stack[sp - 1] *= stack[sp]; NEXT;
dup: stack[sp] = stack[sp - 1]; sp++; NEXT;
swap: {
        long t = stack[sp - 1];
        stack[sp - 1] = stack[sp - 2];
        stack[sp - 2] = t;
    }
    NEXT;
print: printf("%ld\n", stack[sp - 1]); NEXT;
dec: stack[sp - 1]--; NEXT;
jnz:
    if (stack[sp - 1]) {
        pc = code + *pc;
        NEXT;
    }
    pc++;
    NEXT;
halt:
    return;
}

static int state_machine(const char *s)
{
    void *states[2] = { &&even, &&odd };
    void *cur = states[0];
    int flips = 0;
next:
    if (!*s)
        return flips * 10 + (cur == &&odd);
    goto *cur;
even:
    if (*s++ == '1')
        cur = states[1], flips++;
    goto next;
odd:
    if (*s++ == '1')
        cur = states[0], flips++;
    goto next;
}

int main(void)
{
    int prog[] = { PUSH, 1, PUSH, 10, SWAP, PUSH, 3, MUL, SWAP, DEC, JNZ, 4,
                   PRINT, ADD, PRINT, DUP, MUL, PRINT, HALT };
    run(prog);
    printf("%d %d %d\n", state_machine("10110"), state_machine("1111"), state_machine(""));
    void *p;
    int n = 0;
    p = &&again;
again:
    if (++n < 5)
        goto *p;
    printf("%d\n", n);
    return 0;
}
