// Library functions compute with numbers that wrap.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    srand(4294967295u);
    int x = rand();
    char text[] = "a long text to compare", other[] = "a long text to compare";
    return (strcmp(text, other) != 0) + (x < 0) + (atoi("-2147483648") + 1 > 0) + (labs(-5) != 5);
}
