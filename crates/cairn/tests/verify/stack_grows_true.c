// What there is room for is forgotten before the items are taken from the end; the size of the array still bounds them.
//= memsafety: TRUE
//@ one_too_many = memsafety: FALSE(valid-deref)
//      There may be no room for one item more.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int count = 0, room = 4;
    int *items = malloc(room * sizeof *items);
    if (!items)
        return 0;
    while (__VERIFIER_nondet_int()) {
        if (count == room) {
            if (room > 100000)
                break;
            int *more = malloc(2 * room * sizeof *items);
            if (!more)
                break;
            for (int i = 0; i < count; i++)
                more[i] = items[i];
            free(items);
            items = more;
            room *= 2;
        }
        items[count++] = 1;
    }
    while (count > 0)
//@ one_too_many: do
        items[--count] = 0;
//@ one_too_many: items[count--] = 0;
//@ one_too_many+ while (count > 0);
    free(items);
    return 0;
}
