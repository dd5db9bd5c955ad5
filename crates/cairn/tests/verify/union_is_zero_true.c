// A union is zero where no initialiser mentions it, and a static one beyond the member that is initialised.
//= unreach: TRUE
extern void reach_error(void);
union word { char c; int i; };
struct cell { union word w; int key; };
static union word fixed = { .c = 1 };
int main(void) {
    union word empty = {};
    union word words[3] = { { .i = 4 } };
    struct cell cell = { .key = 2 };
    union word chosen = { .c = 1, .i = 3 };
    struct cell anew[2] = { [0].w.c = 1, [0] = { .key = 2 } };
    if (empty.i != 0 || words[0].i != 4 || words[2].i != 0 || cell.w.i != 0 || cell.key != 2)
        reach_error();
    if (chosen.i != 3 || anew[0].w.i != 0 || fixed.i != 1)
        reach_error();
    return 0;
}
