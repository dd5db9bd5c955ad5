// Padding between initialised members has no value. It is zero where the initialiser leaves out a member.
//= memsafety: TRUE
//@ between = memsafety: FALSE(valid-deref)
//@ fields = memsafety: FALSE(valid-deref)
//@ elements = memsafety: FALSE(valid-deref)
//@ literal = memsafety: FALSE(valid-deref)
struct pair { char first; int second; };
struct flags { unsigned one : 3; unsigned two : 3; int rest; };
static int table[1];
static int byte(const void *object, int at) {
    return ((const unsigned char *)object)[at];
}
int main(void) {
    struct pair whole = {1, 2}, part = {1}, list[2] = {{1, 2}, {3, 4}};
    struct flags flags = {1, 2, 3};
    table[byte(&part, 1)] = 1;
//@ between: table[byte(&whole, 1)] = 1;
//@ fields: table[byte(&flags, 2)] = 1;
//@ elements: table[byte(&list[1], 3)] = 1;
//@ literal: table[byte(&(struct pair){1, 2}, 2)] = 1;
    table[whole.second - list[0].second + flags.rest - list[1].first] = 1;
    return 0;
}
