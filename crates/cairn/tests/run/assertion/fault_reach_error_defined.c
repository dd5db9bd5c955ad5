// Calls reach_error, which the program defines with an empty body.
void reach_error(void) {}

struct state { unsigned locked : 1; unsigned count : 4; };

int main(void) {
    struct state s = { 0, 15 };
    s.count++;
    if (s.count == 0)
        reach_error(); //~ assertion
    return 0;
}
