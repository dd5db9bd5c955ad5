// A function returning double is called as if it returned a pointer.
#include <stddef.h>

static double ratio(int a, int b) { return (double)a / b; }

int main(void) {
    void *any = (void *)ratio;
    char *(*f)(int, int) = (char *(*)(int, int))any;
    char *s = f(1, 2); //~ invalid-call
    return s == NULL ? 0 : 0;
}
