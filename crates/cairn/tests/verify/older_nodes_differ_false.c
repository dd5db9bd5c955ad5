// Two nodes of one allocation site are different objects.
//= unreach: FALSE(unreach-call)
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
    int *first = NULL, *second = NULL, *third = NULL;
    for (int i = 0; i < 3; i++) {
        third = second;
        second = first;
        first = malloc(sizeof *first);
    }
    if (second && third && second != third)
        reach_error();
    return 0;
}
