// Reading unspecified bytes of a union and branching on them is no fault.
//= memsafety: TRUE
union word { int i; char c; };
int main(void) {
    union word u = { .c = 1 };
    int a[2] = { 0, 0 };
    a[u.i == 1] = 1;
    if (u.i > 7)
        a[0] = 2;
    return a[0];
}
