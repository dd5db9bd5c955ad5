// A member that nothing assigned is read from a struct whose address is never taken.
struct pair { int first, second; };

int main(void) {
    struct pair p;
    p.first = 1;
    int copy = p.second; //~ uninitialised
    (void)copy;
    return 0;
}
