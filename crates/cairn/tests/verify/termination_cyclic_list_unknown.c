// A walk along a list that leads back to its start.
//= termination: UNKNOWN
#include <stdlib.h>

struct node { struct node *next; };

int main(void)
{
    struct node *list = malloc(sizeof *list);
    list->next = list;
    while (list)
        list = list->next;
    return 0;
}
