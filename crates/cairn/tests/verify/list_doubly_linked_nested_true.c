// Doubly linked lists of doubly linked lists of doubly linked lists, all of any length, are built at their heads and freed.
//= memsafety: TRUE
//@ unlinked = memsafety: FALSE(valid-deref)
//      Links back are missing where a room is put before others.
//@ dangling = memsafety: FALSE(valid-deref)
//      The first desk points back to one that was freed, which is looked at.
//@ lost = memsafety: FALSE(valid-memtrack)
//      The last desk of a room may not be freed.
//@ rooms = memsafety: FALSE(valid-memtrack)
//      A house is freed while there is one room left.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct desk { struct desk *next, *prev; };
struct room { struct room *next, *prev; struct desk *desks; };
struct house { struct house *next, *prev; struct room *rooms; };
int main(void) {
    struct house *houses = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct house *house = malloc(sizeof *house);
        house->next = houses;
        house->prev = NULL;
        house->rooms = NULL;
        if (houses)
            houses->prev = house;
        houses = house;
        while (__VERIFIER_nondet_bool()) {
            struct room *room = malloc(sizeof *room);
            room->next = house->rooms;
            room->prev = NULL;
            room->desks = NULL;
            if (house->rooms)
                house->rooms->prev = room;
//@ unlinked: ;
            house->rooms = room;
            while (__VERIFIER_nondet_bool()) {
                struct desk *desk = malloc(sizeof *desk);
                desk->next = room->desks;
                desk->prev = NULL;
                if (room->desks)
                    room->desks->prev = desk;
                room->desks = desk;
            }
        }
    }
    while (houses) {
        struct house *house = houses;
        houses = house->next;
        if (houses)
            houses->prev = NULL;
        while (house->rooms) {
            struct room *room = house->rooms;
            if (room->next && room->next->prev != room)
                *(int *)0 = 1;
            house->rooms = room->next;
            if (house->rooms)
                house->rooms->prev = NULL;
            while (room->desks) {
                struct desk *desk = room->desks;
                room->desks = desk->next;
                if (room->desks)
                    room->desks->prev = NULL;
//@ dangling: room->desks->prev = desk;
//@ lost+ if (desk->next || __VERIFIER_nondet_bool())
                free(desk);
//@ dangling+ if (room->desks && room->desks->prev->next == NULL) break;
            }
            free(room);
//@ rooms+ if (house->rooms && !house->rooms->next) break;
        }
        free(house);
    }
    return 0;
}
