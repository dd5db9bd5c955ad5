// The same in an array of structs, in every element of a range.
//= unreach: FALSE(unreach-call)
extern void reach_error(void);
struct cell { union { char tag; long value; }; int key; };
int main(void) {
    struct cell cells[12] = { [2 ... 11] = { .tag = 7, .key = 9 } };
    if (cells[5].tag != 7 || cells[5].key != 9 || cells[0].value != 0 || cells[1].key != 0)
        return 0;
    if (cells[11].value != 7)
        reach_error();
    return 0;
}
