// Values of an initialiser are computed in the order of the members, as gcc does it.
//= unreach: TRUE
//@ written = unreach: FALSE(unreach-call)
extern void reach_error(void);
static int count;
static int next(void) {
    return ++count;
}
int main(void) {
    int list[2] = {[1] = next(), [0] = next()};
    struct { int a, b; } pair = {.b = next(), .a = next()};
    if (list[0] != 1 || list[1] != 2 || pair.a != 3 || pair.b != 4) reach_error();
//@ written: if (list[1] != 1) reach_error();
    return 0;
}
