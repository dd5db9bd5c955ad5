// A pointer kept in one loop iteration refers to the variable of the previous one.
#include <stdio.h>

int main(void) {
    int *last = 0;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        if (last)
            sum += *last; //~ use-after-scope
        int square = i * i;
        last = &square;
    }
    printf("%d\n", sum);
    return 0;
}
