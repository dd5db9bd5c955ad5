/* Calls the functions of the list in any order, with any values. */
#include <stdio.h>

#include "list.h"

/* Returns any number. cairn considers all of them. */
int __VERIFIER_nondet_int(void);

int main(void)
{
    struct list list = { 0 };
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int())
            list_add(&list, value);
        else
            printf("%d removed\n", list_remove(&list, value));
    }
    list_clear(&list);
    return 0;
}
