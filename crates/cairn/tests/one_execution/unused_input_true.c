// Inputs are stored, copied and added up, but nothing depends on them.
// TRUE
#include <stdio.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int array[4], copy[4], sum = 0;
    for (int i = 0; i < 4; i++)
        array[i] = __VERIFIER_nondet_int();
    memcpy(copy, array, sizeof copy);
    for (int i = 0; i < 4; i++)
        sum += copy[i];
    array[0] = sum;
    printf("done\n");
    return 0;
}
