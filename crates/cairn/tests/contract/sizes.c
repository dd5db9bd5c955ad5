// Sizes and counts that callers decide: only offsets that the code decides are out of bounds.
#include <stdlib.h>
#include <string.h>

struct set { long room, count; long *elements; };

// The product wraps around for a number that nobody passes.
long *wraps(size_t number)
{
    long *made = malloc(sizeof(long) * (number + 1) * 2);
    if (!made)
        return NULL;
    made[0] = 1;
    return made;
}

// Callers keep `count` within `room`.
int push(struct set *set, long element)
{
    if (set->count == set->room) {
        long *more = realloc(set->elements, set->room * 2 * sizeof(long));
        if (!more) {
            free(set->elements);
            return -1;
        }
        set->elements = more;
        set->room *= 2;
    }
    set->elements[set->count++] = element;
    return 0;
}

// The number of elements and the number of iterations come from elsewhere.
int count_elements(const void *container);
int next_element(const void *container, int *element);

int marked(const void *container)
{
    int sum = 0, element, i = 0;
    char *marks = malloc(count_elements(container));
    if (!marks)
        return -1;
    for (i = 0; i < count_elements(container); i++)
        marks[i] = 0;
    i = 0;
    while (next_element(container, &element))
        sum += marks[i++] ? element : 0;
    free(marks);
    return sum;
}

int planes(const int *values, int number)
{
    static const int table[3] = {1, 2, 4};
    int sum = 0;
    for (int i = 0; i < number; i++)
        sum += table[i] * values[i];
    return sum;
}

int one_too_many(const int *values)
{
    static const int table[3] = {1, 2, 4};
    int sum = 0;
    for (int i = 0; i <= 3; i++)
        sum += table[i] * values[i]; //~ out-of-bounds
    return sum;
}

// The code itself tests for the extreme value.
int extreme(int number)
{
    int table[2] = {1, 2};
    if (number == 2147483647)
        return table[2]; //~ out-of-bounds
    return table[0];
}

int short_copy(void)
{
    char *text = malloc(4);
    if (!text)
        return -1;
    strcpy(text, "abcd"); //~ out-of-bounds
    int first = text[0];
    free(text);
    return first;
}
