// Output may fail, so that the result of printf is not the length of the text.
// UNKNOWN
#include <stdio.h>

int main(void)
{
    int array[3] = {0};
    return array[printf("ab") == 2 ? 0 : 3];
}
