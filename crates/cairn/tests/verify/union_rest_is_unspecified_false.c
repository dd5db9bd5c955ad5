// An initialiser through a smaller member leaves the other bytes of a union unspecified.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
union word { int i; char c; };
int main(void) {
    union word u = { .c = 1 };
    if (u.c != 1)
        return 0;
    if (u.i != 1)
        reach_error();
    return 0;
}
