// The fourth iteration dereferences null, which is not a requested check. Its consequences are unknown, so nothing is proved.
//= unreach: OPEN
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void) {
    int first = 1, turns = 0;
    int *at = &first;
    while (__VERIFIER_nondet_int()) {
        turns++;
        if (turns == 4) at = 0;
        if (turns == 5) at = &first;
        if (*at != 1) reach_error();
    }
}
