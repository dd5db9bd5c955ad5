/* Teams with members. A team is freed, and its members are lost. */
#include <stdlib.h>

struct member {
    int id;
    struct member *next;
};

struct team {
    struct member *members;
    struct team *next;
};

static struct team *new_team(struct team *next, int size)
{
    struct team *team = malloc(sizeof *team);
    if (!team)
        exit(1);
    team->members = NULL;
    team->next = next;
    for (int id = 0; id < size; id++) {
        struct member *member = malloc(sizeof *member);
        if (!member)
            exit(1);
        member->id = id;
        member->next = team->members;
        team->members = member;
    }
    return team;
}

int main(void)
{
    struct team *teams = NULL;
    for (int size = 1; size <= 3; size++)
        teams = new_team(teams, size);
    while (teams) {
        struct team *next = teams->next;
        if (next)
            while (teams->members) {
                struct member *rest = teams->members->next;
                free(teams->members);
                teams->members = rest;
            }
        free(teams);
        teams = next;
    }
    return 0;
}
