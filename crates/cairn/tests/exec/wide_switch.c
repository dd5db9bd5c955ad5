// A switch with many sparse and dense cases used as a small opcode decoder.
#include <stdio.h>

static int decode(int op, int a, int b)
{
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : -1;
    case 4: return b ? a % b : -1;
    case 5: return a & b;
    case 6: return a | b;
    case 7: return a ^ b;
    case 8: return a < b;
    case 9: return a > b;
    case 10: return a == b;
    case 11: return a != b;
    case 12: return a && b;
    case 13: return a || b;
    case 14: return !a;
    case 15: return ~a;
    case 16: return -a;
    case 17: return a << (b & 7);
    case 18: return a >> (b & 7);
    case 19: case 20: case 21: return op;
    case 100: return a * 100;
    case 200: return a * 200;
    case 1000: return 1;
    case 10000: return 2;
    case 100000: return 3;
    case 1000000: return 4;
    case -1: return -a;
    case -1000: return -b;
    case 0x7fffffff: return 5;
    case -0x7fffffff - 1: return 6;
    default: return op % 7;
    }
}

int main(void)
{
    long sum = 0;
    for (int op = -3; op < 25; op++) {
        int r = decode(op, 13, 5);
        printf("%d ", r);
        sum = sum * 3 + r;
        sum %= 1000003;
    }
    printf("\n%ld\n", sum);
    int sparse[] = { 100, 200, 201, 1000, 9999, 10000, 100000, 1000000, -1, -1000, 0x7fffffff, -0x7fffffff - 1 };
    for (unsigned i = 0; i < sizeof sparse / sizeof sparse[0]; i++)
        printf("%d ", decode(sparse[i], 3, 4));
    putchar('\n');
    return 0;
}
