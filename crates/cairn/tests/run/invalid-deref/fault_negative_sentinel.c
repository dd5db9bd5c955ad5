// Follows a small negative number that was cast to a pointer to mark failure.
#include <stdio.h>

#define FAILED ((struct region *)-16L)

struct region { long start, length; };
static struct region only = { 10, 20 };

static struct region *find(long key) {
    return key == 10 ? &only : FAILED;
}

int main(void) {
    printf("%ld\n", find(10)->length);
    printf("%ld\n", find(11)->length); //~ invalid-deref
    return 0;
}
