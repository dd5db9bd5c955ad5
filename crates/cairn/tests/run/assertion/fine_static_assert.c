// Static assertions are checked at compile time, and an own check only counts.
#include <assert.h>

struct s { int a; char c; };
static_assert(sizeof(struct s) >= 5, "size");
_Static_assert(sizeof(char) == 1, "char");

static int failures;
#define CHECK(c) ((c) ? (void)0 : (void)failures++)

int main(void) {
    CHECK(1 == 2);
    CHECK(1 == 1);
    return failures - 1;
}
